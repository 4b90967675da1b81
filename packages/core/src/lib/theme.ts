import { ConfigurationError } from './errors.ts'
import {
  completeOptions,
  isObject,
  isPageAddress,
  isText,
  matching,
  type OptionTable,
  oneOf,
} from './option-check.ts'

/** The host's product, in the portal and in the API documentation. */
export interface Brand {
  /** The name of your product, at the top; in the portal also in the title. */
  readonly name: string
  /** The URL of a 24 by 24 pixel image, on your own origin or as `data:`. Default: the first letter of the name. */
  readonly logo?: string
  /** `auto` follows the reader's system. Default `auto`. */
  readonly theme?: 'auto' | 'light' | 'dark'
  /**
   * Values of CSS custom properties, without the dashes: `{ primary: '#0f766e', radius: '4px' }`. `light-dark(…, …)`
   * sets one per theme. The names are in the guide of the portal.
   */
  readonly tokens?: Readonly<Record<string, string>>
}

const THEMES = ['auto', 'light', 'dark'] as const satisfies readonly Brand['theme'][]

/** Excludes anything that could end the declaration and begin another. */
const TOKEN_VALUE = /^[^;{}<>\\@]+$/

const isImageData = matching(/^data:image\/\P{Cc}+$/u)

const BRAND_OPTIONS = {
  name: { isRequired: true, check: isText, rule: 'must be the name of your product.' },
  logo: {
    check: (logo) => isImageData(logo) || isPageAddress(logo),
    rule: 'must be the URL of an image, such as /logo.svg, or data:image/….',
  },
  theme: {
    check: oneOf(...THEMES),
    rule: `must be one of: ${THEMES.join(', ')}.`,
  },
  tokens: {
    check: isObject,
    rule: "must be an object, such as { primary: '#0f766e' }.",
    checkInside: checkTokens,
  },
} satisfies Record<keyof Brand, OptionTable[string]>

/** @throws ConfigurationError, also for what cannot be written in a style sheet */
export function checkBrand(path: string, brand: object): void {
  completeOptions(path, BRAND_OPTIONS, brand)
}

function checkTokens(path: string, tokens: object): void {
  for (const [name, value] of Object.entries(tokens)) {
    if (!/^[a-z][a-z-]*$/.test(name)) {
      throw new ConfigurationError(`${path}: ${name} is not a valid custom property name.`)
    }
    if (typeof value !== 'string' || !TOKEN_VALUE.test(value)) {
      throw new ConfigurationError(`${path}.${name} must be one CSS value, without ; { } < > \\ and @.`)
    }
  }
}

/** The rule that sets a theme and its tokens; null if nothing differs from the defaults. */
export function themeRule(selector: string, { theme = 'auto', tokens = {} }: Partial<Brand>): string | null {
  const declarations = Object.entries(tokens).map(([name, value]) => `--${name}: ${value};`)
  if (theme !== 'auto') declarations.unshift(`color-scheme: ${theme};`)
  return declarations.length === 0 ? null : `${selector} {\n  ${declarations.join('\n  ')}\n}\n`
}
