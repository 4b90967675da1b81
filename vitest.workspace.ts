import { existsSync, readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/**
 * Sets what is global in a process, where another test asserts that nothing is: a process of its own. All the other files
 * of a package share processes, so that its modules are loaded a few times and not once for each file.
 */
const ALONE = ['packages/delivery-worker/test/telemetry.test.ts']

/** Every package with tests is a project of its own: `vitest --project core`. */
const projects = ['packages', 'examples']
  .flatMap((folder) => readdirSync(folder).map((name) => ({ name, path: `${folder}/${name}` })))
  .concat({ name: 'bench', path: 'bench' })
  .filter(({ path }) => existsSync(`${path}/test`))

/** See packages/dev-servers/scripts/oldest-fastify.mjs. */
const fastify = process.env['TESTED_FASTIFY']

function project(name: string, files: { include: string[]; exclude?: string[]; isolate?: boolean }) {
  return {
    resolve: { alias: fastify === undefined ? [] : [{ find: /^fastify$/, replacement: fastify }] },
    test: {
      name,
      ...files,
      setupFiles: process.env['COLLECT_GARBAGE'] === undefined ? [] : './vitest.gc.ts',
      // Real processes, sockets and databases on small machines: these only end what hangs.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 60_000 } },
      // What is built is loaded as it is.
      server: { deps: { external: [/\/dist\//] } },
    },
  }
}

export default defineConfig({
  test: {
    // They mostly wait: for sockets, processes, databases.
    maxWorkers: Math.max(3, availableParallelism()),
    globalSetup: './vitest.global-setup.ts',
    // PostgreSQL is stopped and its folder removed in that time.
    teardownTimeout: 60_000,
    projects: [
      ...projects.map(({ name, path }) =>
        project(name, { include: [`${path}/test/**/*.test.ts`], exclude: ALONE, isolate: false }),
      ),
      project('alone', { include: ALONE }),
    ],
  },
})
