const THEMES = ['auto', 'light', 'dark'] as const
/** `auto` follows the reader's system. */
export type Theme = (typeof THEMES)[number]

/** Values of CSS custom properties, without the dashes. */
export type ThemeTokens = Readonly<Record<string, string>>

/** Excludes anything that could end the declaration and begin another. */
const TOKEN_VALUE = /^[^;{}<>\\@]+$/

interface Look {
  readonly theme?: Theme
  readonly tokens?: ThemeTokens
}

/** Why a brand cannot be written in a style sheet, or null. */
export function brandProblem({ theme = 'auto', tokens = {} }: Look): string | null {
  if (!THEMES.includes(theme)) return `brand.theme must be one of: ${THEMES.join(', ')}.`
  for (const [name, value] of Object.entries(tokens)) {
    if (!/^[a-z][a-z-]*$/.test(name)) return `brand.tokens: ${name} is not a valid custom property name.`
    if (!TOKEN_VALUE.test(value)) {
      return `brand.tokens.${name} must be one CSS value, without ; { } < > \\ and @.`
    }
  }
  return null
}

/** The rule that sets a theme and its tokens; null if nothing differs from the defaults. */
export function themeRule(selector: string, { theme = 'auto', tokens = {} }: Look): string | null {
  const declarations = Object.entries(tokens).map(([name, value]) => `--${name}: ${value};`)
  if (theme !== 'auto') declarations.unshift(`color-scheme: ${theme};`)
  return declarations.length === 0 ? null : `${selector} {\n  ${declarations.join('\n  ')}\n}\n`
}
