import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDeliveryWorker } from '@quickquote/delivery-worker'
import { freePort, listens, type ReceivedWebhook, startReceiver } from '@quickquote/dev-servers'
import { complaintsOf, dialog, hasChromium, type Page } from '@quickquote/dev-servers/browser'
import { fastifyPortal } from '@quickquote/portal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { portalHost } from './portal-host.ts'

const MODULES = resolve(import.meta.dirname, '../node_modules')

/** The admin's own server: a port behind an HTTPS proxy, and an empty folder. */
async function ownServer() {
  const port = await freePort()
  const proxy = await startReceiver({
    async respond({ method, path, headers, rawBody }: ReceivedWebhook) {
      const sent = Object.entries(headers).filter(([name]) => /^(x-|content-type)/.test(name))
      const init = { method, headers: sent.map(([name, value]) => [name, String(value)] as [string, string]) }
      try {
        const response = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, body: rawBody })
        return { status: response.status, body: await response.text() }
      } catch {
        return { status: 502 }
      }
    },
  })
  const folder = await mkdtemp(join(tmpdir(), 'quickquote-trial-'))
  onTestFinished(async () => {
    await proxy.stop()
    await rm(folder, { recursive: true, force: true })
  })
  return { port, folder, url: proxy.url, ca: proxy.certificate.cert }
}

/** Runs commands in a folder until the test ends. @returns what they printed */
async function runIn(folder: string, port: number, commands: string): Promise<() => string> {
  const [, packages = ''] = /^npm install (.+)$/m.exec(commands) ?? []
  // As npm would do, but with the packages of this repository. The folder has no others.
  for (const name of packages.split(' ')) {
    const target = join(folder, 'node_modules', name)
    await mkdir(dirname(target), { recursive: true })
    await symlink(join(MODULES, name), target)
  }
  const program = spawn('sh', ['-c', commands.replace(/^npm install .+$/m, '')], {
    cwd: folder,
    env: { PATH: process.env['PATH'], PORT: String(port) },
    // So that the shell and its program can be stopped together.
    detached: true,
  })
  let printed = ''
  for (const output of [program.stdout, program.stderr]) output.on('data', (data) => (printed += data))
  const gone = once(program, 'exit')
  onTestFinished(async () => {
    if (program.exitCode === null && program.pid !== undefined) process.kill(-program.pid)
    await gone
  })
  while (!(await listens(port))) {
    if (program.exitCode !== null) throw new Error(`It did not start:\n${printed}`)
    await sleep(50)
  }
  return () => printed
}

/** Clicks the main button of the dialog or the screen. */
async function goOn(page: Page): Promise<void> {
  const open = dialog(page)
  const place = (await open.count()) > 0 ? open : page.locator('main')
  await place.locator('.button.primary').click()
}

describe.runIf(hasChromium || process.env['CI'] !== undefined)('A new admin, in Chromium', () => {
  it.each([
    ['en-US', /Save it as (\S+) and run/, 'Your receiver responded with 204. It works.'],
    ['de-DE', /Speichern Sie ihn als (\S+) und/, 'Ihr Empfänger hat mit 204 geantwortet. Es funktioniert.'],
  ])(
    'gets from the first empty screen to a verified webhook by what the page says alone: %s',
    async (locale, saveAs, verified) => {
      const server = await ownServer()
      const { app, page, integrations, resolveSession } = await portalHost()
      const worker = createDeliveryWorker({ integrations, ca: server.ca })
      await worker.start()
      onTestFinished(() => worker.stop({ deadlineMs: 1000 }))
      await app.register(fastifyPortal, { integrations, resolveSession, prefix: '/portal', locale })
      const url = await app.listen({ port: 0, host: '127.0.0.1' })
      await page.context().addCookies([{ name: 'session', value: 'ada', url }])
      const complaints = complaintsOf(page)

      await page.goto(`${url}/portal/`)
      await page.locator('nav a').nth(1).click()
      await page.locator('.empty .steps li', { hasText: 'HTTPS' }).waitFor()
      await goOn(page)

      // Two fields are required. The hint says that the admin chooses the path.
      await page.getByText('/webhooks').waitFor()
      const [name, address] = [page.locator('form input').first(), page.locator('input[type=url]')]
      await name.fill('CRM')
      await address.fill(`${server.url}/crm/quotes`)
      await goOn(page)

      // The secret, the program and the commands are copied from the page.
      const [code, commands] = [dialog(page).locator('pre').first(), dialog(page).locator('pre').nth(1)]
      await commands.waitFor()
      // The other languages can be chosen: the dialog scrolls, and its parts keep their height.
      for (const [language, code] of [
        ['Python', 'hmac.compare_digest'],
        ['JavaScript', 'fastifyWebhooks'],
      ] as const) {
        await dialog(page).getByText(language, { exact: true }).click()
        await dialog(page).getByText(code).first().waitFor()
      }
      await commands.waitFor()
      const text = String(await dialog(page).textContent())
      const [, file = ''] = saveAs.exec(text) ?? []
      expect(text).toContain(`${server.url}/crm/quotes`)
      await writeFile(join(server.folder, file), String(await code.textContent()))
      const secret = String(await dialog(page).locator('.secret code').textContent())
      const shown = String(await commands.textContent())
      expect(shown).toContain(secret)
      const printed = await runIn(server.folder, server.port, shown)
      await goOn(page)

      // On the endpoint's screen, the main button sends a test.
      await page.locator('main h1', { hasText: 'CRM' }).waitFor()
      await goOn(page)
      // The program prints a line for this type.
      await dialog(page).locator('select').selectOption('quotation.completed')
      await goOn(page)
      await dialog(page).getByText(verified).waitFor()
      expect(printed()).toContain('fetch proposal')
      await dialog(page).locator('.result a').click()
      await page.getByText('204 No Content').first().waitFor()
      expect(complaints).toEqual([])
    },
  )
})
