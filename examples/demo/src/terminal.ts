import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

export interface Terminal {
  title(text: string): void
  /** A label and a value, in two columns. */
  fact(label: string, text: string): void
  /** An event, with the time since `startClock`. */
  event(label: string, text: string): void
  startClock(): void
  /** Text for copying, printed as it is. */
  plain(text: string): void
  good(text: string): void
  bad(text: string): void
  /** Prints what is in progress after two seconds without output, and then every five. */
  progress<T>(label: string, work: Promise<T>): Promise<T>
}

const LABEL_WIDTH = 16
const FIRST_WORD_MS = 2000
const NEXT_WORD_MS = 5000
const LOOK_MS = 100

/** Colors only on a terminal, and never with NO_COLOR (no-color.org). */
export function createTerminal(
  stream: { write(text: string): unknown; isTTY?: boolean },
  env: NodeJS.ProcessEnv,
): Terminal {
  const coloured = stream.isTTY === true && !env['NO_COLOR']
  const style = (format: Style, text: string) => (coloured ? styleText(format, text) : text)
  let clockStart = performance.now()
  let lastLine = clockStart

  function line(text: string): void {
    lastLine = performance.now()
    stream.write(`${text}\n`)
  }

  return {
    title: (text) => line(`\n${style('bold', text)}\n`),
    fact: (label, text) => line(`  ${style('dim', label.padEnd(LABEL_WIDTH))} ${text}`),
    event(label, text) {
      const seconds = ((performance.now() - clockStart) / 1000).toFixed(2).padStart(6)
      line(`  ${style('dim', `${seconds} s`)}  ${label.padEnd(LABEL_WIDTH)} ${text}`)
    },
    startClock() {
      clockStart = performance.now()
    },
    plain: line,
    good: (text) => line(`\n${style('green', '✓')} ${text}`),
    bad: (text) => line(`\n${style('red', '✗')} ${text}`),

    async progress(label, work) {
      const start = performance.now()
      lastLine = start
      let quietMs = FIRST_WORD_MS
      const timer = setInterval(() => {
        if (performance.now() - lastLine < quietMs) return
        quietMs = NEXT_WORD_MS
        line(style('dim', `  … ${label} (${Math.round((performance.now() - start) / 1000)} s)`))
      }, LOOK_MS)
      try {
        return await work
      } finally {
        clearInterval(timer)
      }
    },
  }
}
