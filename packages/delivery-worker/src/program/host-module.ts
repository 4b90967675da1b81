import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ConfigurationError, type Integrations } from '@quickquote/core'

/** The host's module for a worker process. */
export interface HostModule {
  /** One for each database. */
  readonly databases: readonly [Integrations, ...Integrations[]]
  /** Called when the worker has stopped. */
  close(): Promise<void>
}

/**
 * Loads the host's module. Its export `integrations`, or its default export, is the result of `createIntegrations()`, a
 * promise of it, or a function that returns either; with several databases, a list of them. It may also export `close`.
 * @param path relative to the working directory
 * @throws ConfigurationError if the module is missing or exports something else, and any error of the module
 */
export async function loadHostModule(path: string): Promise<HostModule> {
  const file = resolve(path)
  if (!existsSync(file)) throw new ConfigurationError(`Module not found: ${file}`)
  // Importing an app would start it, on its port.
  if (!/\bexports?\b/.test(readFileSync(file, 'utf8'))) {
    throw new ConfigurationError(
      `${file} exports nothing, so it was not run. Name a module that only creates your integrations and exports them as ` +
        '`integrations`; your app can import it too.',
    )
  }
  const loaded: Record<string, unknown> = await import(pathToFileURL(file).href)
  const exported = loaded['integrations'] ?? loaded['default']
  const made: unknown = await (typeof exported === 'function' ? exported() : exported)
  const [first, ...others]: unknown[] = Array.isArray(made) ? made : [made]
  if (!isIntegrations(first) || !others.every(isIntegrations)) {
    throw new ConfigurationError(
      `${file} must export \`integrations\`, or have a default export: the result of createIntegrations(), a promise of it, ` +
        'or a function that returns it. With several databases, a list of them.',
    )
  }
  const { close } = loaded
  return {
    databases: [first, ...others],
    async close() {
      if (typeof close === 'function') await close()
    },
  }
}

/** The module may use another copy of core, so only the shape can be checked. */
function isIntegrations(value: unknown): value is Integrations {
  const parts = ['storage', 'settings', 'requirementsFiles'] as const
  return (
    typeof value === 'object' &&
    value !== null &&
    'pipeline' in value &&
    parts.every((part) => part in value && typeof value[part as keyof typeof value] === 'object')
  )
}
