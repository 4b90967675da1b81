import { existsSync } from 'node:fs'
import type { Browser, Locator } from 'playwright-core'
import { chromium } from 'playwright-core'

// The first is the lightest: a page costs a fifth of the CPU time.
const PLACES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
)
const installed = process.env['CHROMIUM'] ?? PLACES.find((path) => existsSync(path))

/** Whether a Chromium is installed, or named by CHROMIUM. */
export const hasChromium = installed !== undefined

export function openBrowser(): Promise<Browser> {
  if (installed === undefined) throw new Error('Chromium not found: install it, or set CHROMIUM to its path.')
  const isRoot = process.getuid?.() === 0
  return chromium.launch({ executablePath: installed, args: isRoot ? ['--no-sandbox'] : [] })
}

/** A property of an element's computed style. */
export function styleOf(locator: Locator, property: string): Promise<string> {
  // A string, because the tests are compiled without DOM types.
  const read = new Function('element', 'property', 'return getComputedStyle(element)[property]')
  return locator.evaluate(read as (element: unknown, property: string) => string, property)
}
