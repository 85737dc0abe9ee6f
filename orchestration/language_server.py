"""The recipe language in editors that speak the language server protocol, over the same compiler as everything else."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from orchestration.language import Compilation, Diagnostic, Suggestion, Vocabulary, compile_recipe
from orchestration.language.editing import complete, formatted, hover, language_of
from orchestration.language.messages import help_text, message, note_text, suggestion_text
from orchestration.language.source import Source, Span

SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
}


def build_server(vocabulary: Vocabulary, lang: str = "nb") -> LanguageServer:
    """A server with this vocabulary; messages are in `lang`. `start_io()` runs it."""
    server = LanguageServer("synops-recipes", "1.0", types.TextDocumentSyncKind.Full)

    def compiled(uri: str) -> Compilation:
        return compile_recipe(server.workspace.get_text_document(uri).source, vocabulary)

    def publish(uri: str) -> None:
        compilation = compiled(uri)
        found = [to_lsp(item, compilation.source, lang) for item in compilation.diagnostics]
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri=uri, diagnostics=found))

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        publish(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        publish(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=[" ", "(", ","]))
    def completion(params: types.CompletionParams) -> list[types.CompletionItem]:
        text = server.workspace.get_text_document(params.text_document.uri).source
        line, column = _place(Source(text), params.position)
        found = complete(text, line, column, vocabulary, lang)
        return [types.CompletionItem(label=item.text, detail=item.detail) for item in found]

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def on_hover(params: types.HoverParams) -> types.Hover | None:
        said = hover(compiled(params.text_document.uri), params.position.line + 1, vocabulary, lang)
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, said)) if said else None

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION)
    def code_action(params: types.CodeActionParams) -> list[types.CodeAction]:
        uri = params.text_document.uri
        compilation = compiled(uri)
        lines = range(params.range.start.line + 1, params.range.end.line + 2)
        here = [item for item in compilation.diagnostics if item.span.line in lines]
        return [
            action(uri, item, suggestion, compilation.source, lang) for item in here for suggestion in item.suggestions
        ]

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    def formatting(params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        compilation = compiled(params.text_document.uri)
        text = compilation.source.text
        good = formatted(compilation, vocabulary, language_of(text))
        if good is None or good == text:
            return []
        last = len(compilation.source.lines)
        end = types.Position(last - 1, compilation.source.utf16(last, len(compilation.source.line(last))))
        return [types.TextEdit(types.Range(types.Position(0, 0), end), good)]

    return server


def to_lsp(item: Diagnostic, source: Source, lang: str) -> types.Diagnostic:
    """Our record as the protocol's."""
    notes = [note_text(note, lang) for note in item.notes if note.span is None]
    said = "\n".join([message(item, lang), *notes, help_text(item, lang)])
    return types.Diagnostic(
        _range(item.span, source), said, severity=SEVERITIES[item.severity], code=item.code, source="synops"
    )


def action(uri: str, item: Diagnostic, suggestion: Suggestion, source: Source, lang: str) -> types.CodeAction:
    """A suggestion as a quick fix; one that the machine may make is preferred."""
    edits: Sequence[types.TextEdit] = [
        types.TextEdit(_range(edit.span, source), edit.text) for edit in suggestion.edits
    ]
    return types.CodeAction(
        title=suggestion_text(suggestion, lang),
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[to_lsp(item, source, lang)],
        is_preferred=suggestion.applicability == "machine",
        edit=types.WorkspaceEdit(changes={uri: edits}),
    )


def _range(span: Span, source: Source) -> types.Range:
    line = span.line - 1
    start, end = source.utf16(span.line, span.start), source.utf16(span.line, span.end)
    return types.Range(types.Position(line, start), types.Position(line, end))


def _place(source: Source, position: types.Position) -> tuple[int, int]:
    line = min(position.line + 1, len(source.lines))
    return line, source.code_points(line, position.character)
