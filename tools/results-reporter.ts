import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node'

/** What tools/tests-in-ci.mjs has to know of a run. */
export interface Results {
  readonly files: readonly {
    readonly path: string
    readonly failed: boolean
    readonly passedTests: number
    readonly failedTests: readonly string[]
    /** What failed outside of tests: while the file was loaded, before its tests or after them, or unhandled beside them. */
    readonly otherErrors: readonly string[]
  }[]
  /** Errors that belong to no file, such as a process that ended by itself. */
  readonly errors: readonly string[]
}

/** Writes the results of a run to the file TEST_RESULTS. A run that does not reach its end writes none. */
export default class ResultsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const files = modules.map((module) => {
      const errors = [module, ...module.children.allSuites()].flatMap((part) => part.errors())
      const all = [...errors, ...unhandled.filter((error) => originOf(error) === module.moduleId)]
      return {
        path: relative(module.project.vitest.config.root, module.moduleId),
        failed: all.length > 0 || !['passed', 'skipped'].includes(module.state()),
        passedTests: [...module.children.allTests('passed')].length,
        failedTests: [...module.children.allTests('failed')].map((test: TestCase) => test.fullName),
        otherErrors: all.map(({ message }) => message.split('\n', 1)[0] ?? ''),
      }
    })
    const ofNoFile = unhandled.filter((error) =>
      modules.every(({ moduleId }) => moduleId !== originOf(error)),
    )
    const results: Results = { files, errors: ofNoFile.map(({ message }) => message) }
    writeFileSync(`${process.env['TEST_RESULTS']}`, JSON.stringify(results))
  }
}

/** The file that ran when nobody handled this error. */
function originOf(error: SerializedError): unknown {
  return error['VITEST_TEST_PATH']
}
