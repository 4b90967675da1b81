import { existsSync, readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** Every package with tests is a project of its own: `vitest --project core`. */
const projects = ['packages', 'examples']
  .flatMap((folder) => readdirSync(folder).map((name) => ({ name, path: `${folder}/${name}` })))
  .concat({ name: 'bench', path: 'bench' })
  .filter(({ path }) => existsSync(`${path}/test`))

export default defineConfig({
  test: {
    // They mostly wait: for sockets, processes, databases.
    maxWorkers: Math.max(3, availableParallelism()),
    globalSetup: './vitest.global-setup.ts',
    projects: projects.map(({ name, path }) => ({
      test: {
        name,
        include: [`${path}/test/**/*.test.ts`],
        // Real processes, sockets and databases on small machines: these only end what hangs.
        testTimeout: 30_000,
        hookTimeout: 60_000,
        teardownTimeout: 30_000,
      },
    })),
  },
})
