/** A Markdown table, aligned for a terminal: text left, figures right. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [line(head), line(rule), ...rows.map(line)].join('\n')
}

export function percent(ratio: number): string {
  return `${Math.round(ratio * 100)} %`
}

export function times(ratio: number): string {
  return `${ratio.toFixed(ratio < 10 ? 1 : 0)}x`
}

export function milliseconds(value: number): string {
  return `${value.toFixed(1)} ms`
}
