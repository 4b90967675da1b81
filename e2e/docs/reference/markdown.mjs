/** The first line of every generated page. */
export const GENERATED =
  '<!-- Generated from the code: npx -y pnpm@12.21.0 reference. A test fails when it is stale. -->'

/** A table. A bar inside a cell would end it. */
export function table(columns, rows) {
  const line = (cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n')
}

export function code(text) {
  return `\`${text}\``
}

export function jsonBlock(value) {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``
}
