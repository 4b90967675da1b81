// The element with its types for React, Vue and Svelte, as far as they are installed.
import type {
  IntegrationsAttributes,
  IntegrationsEvents,
  QuickquoteIntegrations,
} from '../dist/ui/element.js'

export * from '../dist/ui/element.js'

type Handlers<Prefix extends string> = {
  [Name in keyof IntegrationsEvents as `${Prefix}${Name}`]?: (event: IntegrationsEvents[Name]) => void
}
/** As Vue names them: `quickquote-navigate` is `onQuickquoteNavigate`. */
interface VueHandlers {
  onQuickquoteNavigate?: (event: IntegrationsEvents['quickquote-navigate']) => void
  onQuickquoteUnsaved?: (event: IntegrationsEvents['quickquote-unsaved']) => void
}
interface Common extends IntegrationsAttributes {
  id?: string
  class?: string
  slot?: string
}
interface OfReact extends Common, Handlers<'on'> {
  key?: string | number | null
  ref?: ((element: QuickquoteIntegrations | null) => void) | { current: QuickquoteIntegrations | null } | null
  className?: string
  style?: Readonly<Record<string, string | number | undefined>>
}

// @ts-ignore: there may be no React.
declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'quickquote-integrations': OfReact
    }
  }
}

// @ts-ignore: there may be no Vue.
declare module 'vue' {
  interface GlobalComponents {
    'quickquote-integrations': new () => { $props: Common & VueHandlers & { style?: unknown } }
  }
}

// @ts-ignore: there may be no Svelte.
declare module 'svelte/elements' {
  interface SvelteHTMLElements {
    'quickquote-integrations': Common & Handlers<'on'> & Handlers<'on:'> & { style?: string }
  }
}
