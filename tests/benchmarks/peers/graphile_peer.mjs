// graphile-worker at its best settings here: local queue of 500, batched completion. It deletes finished jobs.
import { run, makeWorkerUtils, runMigrations, Logger } from "graphile-worker";
import fs from "fs";
import pg from "pg";

const [, , command, count] = process.argv;
// The pool finds its server by PGHOST, PGPORT, PGUSER and PGDATABASE.
const pgPool = new pg.Pool({ max: 26 });
const now = () => (performance.timeOrigin + performance.now()) / 1000;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

let file;
function stamp(sent) {
  file ??= fs.openSync(process.env.BENCH_STAMPS, "a");
  const bytes = Buffer.alloc(16);
  bytes.writeDoubleLE(sent, 0);
  bytes.writeDoubleLE(now(), 8);
  fs.writeSync(file, bytes);
}

async function send() {
  const utils = await makeWorkerUtils({ pgPool, logger: new Logger(() => () => {}) });
  const started = performance.now();
  if (command === "bulk")
    for (let first = 0; first < +count; first += 1000)
      await utils.addJobs(Array.from({ length: Math.min(1000, count - first) }, () => ({ identifier: "noop", payload: { sent: 0 } })));
  else
    for (let nth = 0; nth < +count; nth++) {
      await utils.addJob("noop", { sent: now() });
      if (command === "slowly") await pause(30 + Math.random() * 60);
    }
  console.log(JSON.stringify({ seconds: (performance.now() - started) / 1000 }));
  await utils.release();
}

async function work() {
  const worker = {
    concurrentJobs: 24, pollInterval: 2000,
    localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0,
  };
  const running = await run({
    pgPool, preset: { worker }, logger: new Logger(() => () => {}),
    taskList: { noop: async (payload) => stamp(payload.sent) },
  });
  await running.promise;
}

if (command === "setup") await runMigrations({ pgPool, logger: new Logger(() => () => {}) });
else if (command === "worker") await work();
else await send();
if (command !== "worker") process.exit(0);
