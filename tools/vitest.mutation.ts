import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** The tests run on mutants (stryker.json): those without a database, on sources instead of builds. */
const TESTS = [
  'packages/core/test/address-guard.test.ts',
  'packages/core/test/api-key.test.ts',
  'packages/core/test/progress.test.ts',
  'packages/core/test/session.test.ts',
  'packages/core/test/settle.test.ts',
  'packages/core/test/tenancy.test.ts',
  'packages/delivery-worker/test/checked-lookup.test.ts',
  'packages/fastify-integrations/test/memory-counter.test.ts',
  'packages/fastify-integrations/test/rate-limit-hooks.test.ts',
  'packages/fastify-integrations/test/redis-counter.test.ts',
]

// Stryker and Vitest only warn of files that have moved, or say nothing.
const { mutate } = JSON.parse(readFileSync(new URL('stryker.json', import.meta.url), 'utf8'))
for (const file of [...mutate, ...TESTS]) {
  if (!existsSync(new URL(`../${file}`, import.meta.url)))
    throw new Error(`tools/stryker.json or tools/vitest.mutation.ts names ${file}, which does not exist.`)
}

export default defineConfig({
  resolve: {
    alias: ['index', 'internal'].map((door) => ({
      find: door === 'index' ? /^@quickquote\/core$/ : '@quickquote/core/internal',
      replacement: fileURLToPath(new URL(`../packages/core/src/${door}.ts`, import.meta.url)),
    })),
  },
  test: { testTimeout: 120_000, include: TESTS },
})
