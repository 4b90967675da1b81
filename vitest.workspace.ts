import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './tools/longest-first.ts'

/**
 * Need their own processes: the first sets globals that another test asserts to be unset, the others measure the event
 * loop, which a collection of the garbage of other files would block for 50 ms and more. All other files share a few
 * processes, so that modules are not loaded once per file, or per package.
 */
const ALONE = [
  'packages/delivery-worker/test/telemetry.test.ts',
  'packages/core/test/document-budget.test.ts',
  'packages/fastify-integrations/test/event-loop.test.ts',
]

/** The documents: CI runs these before everything else. */
const DOCS = ['e2e/docs/*.test.ts', 'packages/storage-drizzle/test/schema-notes.test.ts']

/**
 * Slow by nature: other languages and browsers, packed packages, several machines, crashes of whole servers, minutes of
 * chaos, a fuzzer and every hostile value in every field, tests that run tests, the details of the portal, the demo’s
 * page, and the hosts with the most plugins and settings of their own.
 */
const TESTS = ['packages/*/test', 'tools/test', 'e2e']
const SLOW = TESTS.map((folder) => `${folder}/**/*.slow.test.ts`)

/** Slow tests run if the command names a project, such as `--project slow`, or one of their files. */
const withSlow = process.argv.some((argument) => /^--project|\.slow\b/.test(argument))

/** See packages/dev-servers/scripts/each-fastify.mjs. */
const fastify = process.env['TESTED_FASTIFY']

/** `pnpm test:gc`. Each file then has its own process, because a collection takes as long as the heap is large. */
const collectsGarbage = process.env['COLLECT_GARBAGE'] !== undefined

/** Tests import sources, and get their builds: nothing is transformed, or loaded a second time for other packages. */
const BUILDS = [{ find: /^((?:\.\.\/)+(?:examples\/demo\/)?)src\/(.+)\.ts$/, replacement: '$1dist/$2.js' }]

/** See packages/dev-servers/scripts/mutate-tenancy.mjs: it changes sources. */
const builds = process.env['TEST_SOURCES'] === undefined ? BUILDS : []

function project(name: string, files: { include: string[]; exclude?: string[]; isolate?: boolean }) {
  return {
    resolve: { alias: fastify === undefined ? builds : [{ find: /^fastify$/, replacement: fastify }] },
    test: {
      name,
      ...files,
      // Client generators bring tests of their own.
      exclude: ['**/node_modules/**', ...(files.exclude ?? [])],
      setupFiles: collectsGarbage ? './tools/collect-garbage.ts' : [],
      execArgv: collectsGarbage ? ['--single-threaded-gc'] : [],
      // Long, for real processes, sockets and databases on small machines: only hanging tests should reach these.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 60_000 } },
      // Builds are loaded without transformation.
      server: { deps: { external: [/\/dist\//] } },
    },
  }
}

export default defineConfig({
  test: {
    // Tests mostly wait for sockets, processes and databases: four leave two cores idle for a third of the time. A
    // collector never waits.
    maxWorkers: collectsGarbage ? availableParallelism() : Math.max(6, availableParallelism()),
    sequence: { sequencer: LongestFirst },
    globalSetup: './packages/dev-servers/dist/vitest-setup.js',
    // Includes stopping PostgreSQL and removing its folder.
    teardownTimeout: 60_000,
    projects: [
      project('alone', { include: ALONE }),
      project('docs', { include: DOCS, isolate: collectsGarbage }),
      ...(withSlow ? [project('slow', { include: SLOW, isolate: collectsGarbage })] : []),
      project('tests', {
        include: TESTS.map((folder) => `${folder}/**/*.test.ts`),
        exclude: [...SLOW, ...ALONE, ...DOCS],
        isolate: collectsGarbage,
      }),
    ],
  },
})
