/* Charts from data that the page carries (script #chart-NAME), drawn anew when the live view replaces that data.
 * Colours are read from the style sheet, so that light and dark follow the switch; a table stands behind every chart.
 */
const drawn = new Map();

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function stepped(label, stroke, fill) {
  return { label, stroke: colour(stroke), fill: colour(fill), width: 2, paths: uPlot.paths.stepped({ align: 1 }) };
}

/* Lines at the thresholds, in the colour of what they mean. */
function thresholdLines(thresholds) {
  return (plot) => {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.setLineDash([6, 4]);
    ctx.strokeStyle = colour("--bad");
    for (const threshold of thresholds) {
      const y = plot.valToPos(threshold, "y", true);
      if (y < bbox.top || y > bbox.top + bbox.height) continue;
      ctx.beginPath();
      ctx.moveTo(bbox.left, y);
      ctx.lineTo(bbox.left + bbox.width, y);
      ctx.stroke();
    }
    ctx.restore();
  };
}

function series(config) {
  if (config.kind === "percent") return [{}, { label: config.series, stroke: colour("--under-way"), width: 2 }];
  return [{}, stepped(config.series, "--good", "--good-bg"), stepped(config.second, "--bad", "--bad-bg")];
}

function axes(language) {
  const text = colour("--body-quiet-color");
  const clock = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit" });
  const grid = { stroke: colour("--hairline-color"), width: 1 };
  const common = { stroke: text, grid, ticks: grid, font: "12px system-ui, sans-serif" };
  return [
    { ...common, values: (_plot, values) => values.map((value) => clock.format(new Date(value * 1000))) },
    { ...common, size: 48 },
  ];
}

function options(config, place) {
  const percent = config.kind === "percent";
  return {
    width: place.clientWidth,
    height: place.clientHeight || 160,
    legend: { show: false },
    cursor: { show: false },
    scales: { y: { range: percent ? (_plot, low) => [Math.max(0, Math.min(low - 5, 80)), 100] : (_plot, _low, high) => [0, Math.max(high, 1) * 1.1] } },
    axes: axes(document.documentElement.lang),
    series: series(config),
    hooks: percent ? { draw: [thresholdLines(config.thresholds)] } : {},
  };
}

function draw(place) {
  const source = document.getElementById(`chart-${place.dataset.chart}`);
  if (!source || !place.clientWidth) return;
  const config = JSON.parse(source.textContent);
  drawn.get(place)?.destroy();
  drawn.set(place, new uPlot(options(config, place), config.data, place));
}

const places = [...document.querySelectorAll("[data-chart]")];
const drawAll = () => places.forEach(draw);

drawAll();
document.addEventListener("live-parts", drawAll);
new ResizeObserver(drawAll).observe(document.getElementById("content"));
new MutationObserver(drawAll).observe(document.documentElement, { attributeFilter: ["data-theme"] });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
