import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import durations from './durations.json' with { type: 'json' }

/** A file that is neither listed nor remembered may be new and long. */
const UNKNOWN_MS = 3_600_000

/**
 * Starts the longest files first, so that no worker is left alone with one. Durations are those of durations.json,
 * which lists files of two seconds and more, or of this machine's last run, which Vitest remembers. One project after
 * the other, because each change costs a process.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const committed: Readonly<Record<string, number>> = durations
    const duration = ({ moduleId, project }: TestSpecification) => {
      const path = relative(this.ctx.config.root, moduleId)
      const last = this.ctx.cache.getFileTestResults(`${project.name}:${path}`)
      // The last run may have been of one test only.
      return Math.max(last?.duration ?? committed[path] ?? UNKNOWN_MS, committed[path] ?? 0)
    }
    const place = ({ project }: TestSpecification) => this.ctx.projects.indexOf(project)
    return (await super.sort(files)).sort((a, b) => place(a) - place(b) || duration(b) - duration(a))
  }
}
