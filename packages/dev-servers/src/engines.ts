import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasChromium, openBrowser } from './browser.ts'
import { freePort } from './free-port.ts'

/** What each engine can do: go somewhere, run scripts, and use the real mouse and keyboard. */
export interface AnyBrowser {
  readonly version: string
  goto(url: string): Promise<void>
  back(): Promise<void>
  /** Runs the body of a function in the page. */
  run<T>(script: string): Promise<T>
  /**
   * A click. With another place, the mouse goes there before it is released. WebKit's driver lets go of the left button
   * only.
   */
  mouse(from: Point, options?: { to?: Point; isMiddle?: boolean; withControl?: boolean }): Promise<void>
  /** One key after another; special ones as WebDriver has them, such as `\uE007`. */
  type(keys: string): Promise<void>
  close(): Promise<void>
}

interface Point {
  readonly x: number
  readonly y: number
}

interface Engine {
  readonly name: 'Chromium' | 'Firefox' | 'WebKit'
  readonly isInstalled: boolean
  open(): Promise<AnyBrowser>
}

const SIZE = { width: 1280, height: 900 }
const STARTS_WITHIN_MS = 60_000

const places = (...names: (string | undefined)[]) =>
  names.find((name) => name !== undefined && existsSync(name))
const firefox = places(process.env['FIREFOX'], '/usr/bin/firefox-esr', '/usr/bin/firefox')
const webKitDriver = places(process.env['WEBKIT_DRIVER'], '/usr/bin/WebKitWebDriver')
const xvfb = places('/usr/bin/Xvfb')

/** The engines of browsers. CHROMIUM, FIREFOX and WEBKIT_DRIVER may name other ones than those of Debian. */
export const ENGINES: readonly Engine[] = [
  { name: 'Chromium', isInstalled: hasChromium, open: openChromium },
  { name: 'Firefox', isInstalled: firefox !== undefined, open: () => openFirefox(firefox ?? '') },
  {
    name: 'WebKit',
    isInstalled: webKitDriver !== undefined && xvfb !== undefined,
    open: () => openWebKit(webKitDriver ?? '', xvfb ?? ''),
  },
]

async function openChromium(): Promise<AnyBrowser> {
  const browser = await openBrowser()
  const page = await browser.newPage({ viewport: SIZE })
  const special: Readonly<Record<string, string>> = { [KEY.enter]: 'Enter', [KEY.escape]: 'Escape' }
  return {
    version: browser.version(),
    goto: async (url) => void (await page.goto(url)),
    back: async () => void (await page.goBack()),
    run: (script) => page.evaluate(`(async () => { ${script} })()`),
    async mouse(from, { to = from, isMiddle = false, withControl = false } = {}) {
      const button = isMiddle ? 'middle' : 'left'
      if (withControl) await page.keyboard.down('Control')
      await page.mouse.move(from.x, from.y)
      await page.mouse.down({ button })
      await page.mouse.move(to.x, to.y)
      await page.mouse.up({ button })
      if (withControl) await page.keyboard.up('Control')
    },
    async type(keys) {
      for (const key of keys) await page.keyboard.press(special[key] ?? key)
    },
    close: () => browser.close(),
  }
}

export const KEY = { enter: '\uE007', escape: '\uE00C' } as const

/** Sends a command of WebDriver: its name as Marionette has it, and its parameters. */
type Send = (command: string, parameters?: object) => Promise<unknown>

/** A page by the commands of WebDriver. */
async function pageBy(send: Send, version: string, close: () => Promise<void>): Promise<AnyBrowser> {
  const act = async (source: object) => void (await send('WebDriver:PerformActions', { actions: [source] }))
  await send('WebDriver:SetWindowRect', SIZE)
  return {
    version,
    goto: async (url) => void (await send('WebDriver:Navigate', { url })),
    back: async () => void (await send('WebDriver:Back')),
    async run<T>(body: string) {
      const script = `const done = arguments[arguments.length - 1]
        ;(async () => { ${body} })().then((value) => done({ value }), (error) => done({ error: String(error) }))`
      const answer = (await send('WebDriver:ExecuteAsyncScript', { script, args: [] })) as Answer<T>
      if (answer.error !== undefined) throw new Error(answer.error)
      return answer.value as T
    },
    async mouse(from, { to = from, isMiddle = false, withControl = false } = {}) {
      const button = isMiddle ? 1 : 0
      const move = ({ x, y }: Point) => ({ type: 'pointerMove', x: Math.round(x), y: Math.round(y) })
      const control = (type: string) =>
        act({ type: 'key', id: 'keyboard', actions: [{ type, value: '\uE009' }] })
      if (withControl) await control('keyDown')
      await act({
        type: 'pointer',
        id: 'mouse',
        parameters: { pointerType: 'mouse' },
        actions: [move(from), { type: 'pointerDown', button }, move(to), { type: 'pointerUp', button }],
      })
      if (withControl) await control('keyUp')
    },
    type: (keys) =>
      act({
        type: 'key',
        id: 'keyboard',
        actions: [...keys].flatMap((value) => [
          { type: 'keyDown', value },
          { type: 'keyUp', value },
        ]),
      }),
    close,
  }
}

interface Answer<T> {
  readonly value?: T
  readonly error?: string
}

/** Starts a program that ends with this process. */
function start(program: string, args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const exited = once(child, 'exit')
  return {
    child,
    async end() {
      process.off('exit', kill)
      kill()
      await exited
    },
  }
}

/** Repeats it until it does not throw. */
async function started<T>(what: string, attempt: () => Promise<T>): Promise<T> {
  const end = Date.now() + STARTS_WITHIN_MS
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (Date.now() > end) throw new Error(`${what} does not start`, { cause: error })
    }
    await sleep(100)
  }
}

/** Firefox by Marionette, its own protocol. */
async function openFirefox(program: string): Promise<AnyBrowser> {
  const profile = await mkdtemp(join(tmpdir(), 'quickquote-firefox-'))
  const port = await freePort()
  const preferences = { ...QUIET, 'marionette.port': port }
  const lines = Object.entries(preferences).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  )
  await writeFile(join(profile, 'user.js'), lines.join('\n'))
  const { end } = start(program, ['--headless', '--marionette', '--no-remote', '--profile', profile], {
    HOME: profile,
  })
  const socket = await started('Firefox', async () => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    return socket
  })
  const send = marionette(socket)
  const session = (await send('WebDriver:NewSession', {})) as { capabilities: { browserVersion: string } }
  return pageBy(send, session.capabilities.browserVersion, async () => {
    socket.destroy()
    await end()
    await rm(profile, { recursive: true, force: true, maxRetries: 10 })
  })
}

/** One process, and nothing that a page has not asked for. */
const QUIET = {
  'app.update.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.page': 0,
  'browser.aboutwelcome.enabled': false,
  'dom.ipc.processCount': 1,
  'datareporting.policy.dataSubmissionEnabled': false,
  'toolkit.telemetry.enabled': false,
  'services.settings.server': 'data:,',
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'extensions.getAddons.cache.enabled': false,
  'intl.accept_languages': 'en-US',
}

/** Its messages are JSON behind their length: `[0, id, command, parameters]` and `[1, id, error, result]`. */
function marionette(socket: Socket): Send {
  type Reply = (error: { message: string } | null, result: unknown) => void
  const waiting = new Map<number, Reply>()
  let next = 1
  let received = Buffer.alloc(0)
  socket.on('data', (data) => {
    received = Buffer.concat([received, data])
    for (;;) {
      const colon = received.indexOf(':')
      const end = colon + 1 + Number(received.subarray(0, colon))
      if (colon < 0 || received.length < end) return
      const message: unknown = JSON.parse(String(received.subarray(colon + 1, end)))
      received = received.subarray(end)
      // It begins with a greeting.
      if (!Array.isArray(message)) continue
      const [, id, error, result] = message
      waiting.get(id)?.(error, result)
      waiting.delete(id)
    }
  })
  return (command, parameters = {}) =>
    new Promise((resolve, reject) => {
      const id = next++
      const isScript = command.includes('Script')
      const text = JSON.stringify([0, id, command, { ...parameters, ...(isScript && { sandbox: null }) }])
      waiting.set(id, (error, result) => {
        if (error !== null) reject(new Error(`${command}: ${error.message}`))
        else resolve(isValue(result) ? result.value : result)
      })
      socket.write(`${Buffer.byteLength(text)}:${text}`)
    })
}

const isValue = (result: unknown): result is { value: unknown } =>
  typeof result === 'object' && result !== null && 'value' in result

/** WebKitGTK's MiniBrowser by WebDriver, on a screen of its own. */
async function openWebKit(driverProgram: string, screenProgram: string): Promise<AnyBrowser> {
  const screen = start(screenProgram, ['-displayfd', '3', '-screen', '0', '1400x1000x24', '-nolisten', 'tcp'])
  const [display] = await once(screen.child.stdio[3] as NodeJS.ReadableStream, 'data')
  const port = await freePort()
  const driver = start(driverProgram, [`--port=${port}`], {
    DISPLAY: `:${String(display).trim()}`,
    LANG: 'C.UTF-8',
    LANGUAGE: 'en_US',
    LIBGL_ALWAYS_SOFTWARE: '1',
    WEBKIT_DISABLE_COMPOSITING_MODE: '1',
    // Root has no namespaces to build it from.
    WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
  })
  async function request(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      body: body === undefined ? null : JSON.stringify(body),
    })
    const { value } = (await response.json()) as { value: { error?: string; message?: string } | null }
    if (!response.ok) throw new Error(`${path}: ${value?.error} ${value?.message}`)
    return value
  }
  await started('WebKit', () => request('GET', '/status'))
  const session = (await request('POST', '/session', {
    capabilities: { alwaysMatch: { browserName: 'MiniBrowser' } },
  })) as { sessionId: string; capabilities: { browserVersion: string } }
  const paths: Readonly<Record<string, string>> = {
    'WebDriver:Navigate': '/url',
    'WebDriver:Back': '/back',
    'WebDriver:ExecuteAsyncScript': '/execute/async',
    'WebDriver:PerformActions': '/actions',
    'WebDriver:SetWindowRect': '/window/rect',
  }
  const at = `/session/${session.sessionId}`
  const send: Send = (command, parameters = {}) => request('POST', `${at}${paths[command]}`, parameters)
  return pageBy(send, session.capabilities.browserVersion, async () => {
    await request('DELETE', at)
    await driver.end()
    await screen.end()
  })
}
