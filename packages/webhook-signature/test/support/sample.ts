import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const packageFolder = fileURLToPath(new URL('../..', import.meta.url))

/** The code of a document, by the name of its block: ```js name. */
export function samplesOf(file: string): (name: string) => string {
  const document = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
  return (name) => {
    const block = new RegExp(`^( *)\`\`\`js ${name}\\n(.*?)^ *\`\`\``, 'ms').exec(document)
    if (block?.[2] === undefined) throw new Error(`${file} has no sample "${name}"`)
    return block[2].replaceAll(new RegExp(`^${block[1]}`, 'gm'), '')
  }
}

export interface Sample {
  /** The next line of its output; undefined once it has ended. */
  line(): Promise<string | undefined>
  /** Stops it, and returns its stderr. */
  stop(): Promise<string>
}

/** Runs code as a partner would: a module that imports the installed package. It is stopped with the test. */
export function runSample(code: string, env: Readonly<Record<string, string>> = {}): Sample {
  const child = spawn(process.execPath, ['--input-type=module', '-'], {
    cwd: packageFolder,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  child.stdin.end(code)
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const errors = text(child.stderr)
  async function stop(): Promise<string> {
    child.kill()
    await exited
    return errors
  }
  onTestFinished(async () => void (await stop()))
  return { line: async () => (await lines.next()).value, stop }
}
