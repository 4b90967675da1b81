import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import durations from './durations.json' with { type: 'json' }

/** Shorter files stay grouped by project, because each change of project costs a process. */
const LONG_MS = 8_000

/**
 * Starts the longest files first, so that no worker is left alone with one. Durations are those of durations.json, or of this
 * machine's last run, which Vitest remembers.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const committed: Readonly<Record<string, number>> = durations
    const duration = ({ moduleId, project }: TestSpecification) => {
      const path = relative(this.ctx.config.root, moduleId)
      const last = this.ctx.cache.getFileTestResults(`${project.name}:${path}`)
      // The last run may have been of one test only.
      return Math.max(last?.duration ?? 0, committed[path] ?? 0)
    }
    const sorted = await super.sort(files)
    const long = sorted.filter((file) => duration(file) >= LONG_MS)
    const others = sorted.filter((file) => duration(file) < LONG_MS)
    return [...long.sort((a, b) => duration(b) - duration(a)), ...others]
  }
}
