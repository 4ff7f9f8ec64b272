/**
 * Colours of the drawing. Text on its fill has a contrast of at least 4.5 in both schemes; the page brings its own
 * background, so the drawing reads wherever it is put.
 */
export const STYLE = `<style>
.page{fill:#ffffff}
.heading{font:600 14px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#1f2937}
.name{font:13px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;text-anchor:middle;fill:#111827}
.state,.note{font:11px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;text-anchor:middle;fill:#374151}
.state{font-weight:600}
.note{font-style:italic}
.deploy rect{fill:#f3f4f6;stroke:#6b7280;stroke-width:1.2}
.arrow{fill:none;stroke:#6b7280;stroke-width:1.4}
.order{stroke-dasharray:2 4}
.head{fill:#6b7280}
.waiting rect{fill:#fef3c7;stroke:#b45309}
.running rect{fill:#dbeafe;stroke:#1d4ed8;stroke-width:2}
.good rect{fill:#dcfce7;stroke:#15803d}
.bad rect{fill:#fee2e2;stroke:#b91c1c;stroke-width:2}
.stopped rect{fill:#e5e7eb;stroke:#4b5563;stroke-dasharray:4 3}
@media (prefers-color-scheme:dark){
.page{fill:#111827}
.heading,.name{fill:#f9fafb}
.state,.note{fill:#e5e7eb}
.deploy rect{fill:#1f2937;stroke:#9ca3af}
.arrow{stroke:#9ca3af}
.head{fill:#9ca3af}
.waiting rect{fill:#451a03;stroke:#fbbf24}
.running rect{fill:#172554;stroke:#60a5fa}
.good rect{fill:#052e16;stroke:#4ade80}
.bad rect{fill:#450a0a;stroke:#f87171}
.stopped rect{fill:#374151;stroke:#9ca3af}
}
</style>`;
