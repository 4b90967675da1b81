import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ConfigurationError, type Integrations } from '@quickquote/core'

/** What a worker process gets from the module of its host. */
export interface HostModule {
  readonly integrations: Integrations
  /** Ends what else the module opened, when the worker has stopped. */
  close(): Promise<void>
}

/**
 * Loads the module that says what the host's integrations are: an export `integrations`, or the default export. Either is
 * what `createIntegrations()` returned, a promise of that, or a function that returns one of both. `close` may be exported
 * beside it.
 * @param path relative to the working directory
 * @throws ConfigurationError when the module is not there or exports something else, and what the module throws
 */
export async function loadHostModule(path: string): Promise<HostModule> {
  const file = resolve(path)
  if (!existsSync(file)) throw new ConfigurationError(`Module not found: ${file}`)
  const loaded: Record<string, unknown> = await import(pathToFileURL(file).href)
  const exported = loaded['integrations'] ?? loaded['default']
  const integrations: unknown = await (typeof exported === 'function' ? exported() : exported)
  if (!isIntegrations(integrations)) {
    throw new ConfigurationError(
      `${file} must export \`integrations\`, or have a default export: the result of createIntegrations(), a promise of it, ` +
        'or a function that returns it.',
    )
  }
  const { close } = loaded
  return {
    integrations,
    async close() {
      if (typeof close === 'function') await close()
    },
  }
}

/** The module may be built against another copy of core, so nothing is known but its shape. */
function isIntegrations(value: unknown): value is Integrations {
  const parts = ['storage', 'settings', 'requirementsFiles'] as const
  return (
    typeof value === 'object' &&
    value !== null &&
    'pipeline' in value &&
    parts.every((part) => part in value && typeof value[part as keyof typeof value] === 'object')
  )
}
