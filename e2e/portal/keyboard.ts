import { button, type Locator, type Page } from '@quickquote/dev-servers/browser'

const MOST_STOPS = 80

// A string, because the tests are compiled without DOM types.
const hasFocus = new Function('element', 'return element.matches(":focus")') as (element: unknown) => boolean

/** Presses Tab until the target has the focus, then a key. */
export async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await target.waitFor()
  for (let stops = 0; !(await target.evaluate(hasFocus)); stops += 1) {
    if (stops === MOST_STOPS) throw new Error(`Tab does not reach ${target}.`)
    await page.keyboard.press('Tab')
  }
  await page.keyboard.press(key)
}

export async function type(page: Page, field: Locator, text: string): Promise<void> {
  await press(page, field, 'ControlOrMeta+a')
  await page.keyboard.type(text)
}

/** Opens the menu, and chooses an item with the arrow keys. */
export async function choose(page: Page, menu: string, item: string): Promise<void> {
  await press(page, button(page, menu))
  const wanted = page.getByRole('menuitem', { name: item, exact: true })
  await page.locator('[role=menuitem]:focus').waitFor()
  for (let moves = 0; !(await wanted.evaluate(hasFocus)); moves += 1) {
    if (moves === 10) throw new Error(`The arrow keys do not reach ${item}.`)
    await page.keyboard.press('ArrowDown')
  }
  await page.keyboard.press('Enter')
}
