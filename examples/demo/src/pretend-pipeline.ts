import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type PipelineStatus, type Quote, type QuotePipeline, STEPS, type Step } from '@quickquote/core'
import type { FastifyBaseLogger } from 'fastify'

export interface PretendPipelineOptions {
  /** Milliseconds per step. A quote can override it: see PretendOptions. */
  readonly stepMs: number
  /** The progress of a quote: an interrupted run continues after the finished steps. */
  readonly statusOf: (quote: Quote) => Promise<PipelineStatus>
  /** Stores the proposal document, and reports the proposal. */
  readonly publishProposal: (quote: Quote) => Promise<void>
  readonly signDocumentUrl: QuotePipeline['signDocumentUrl']
  readonly logger: Pick<FastifyBaseLogger, 'info'>
}

/** Options in a quote's metadata: `"metadata": { "demo": { "step_ms": 50, "fail_at": "work_breakdown" } }`. */
interface PretendOptions {
  readonly stepMs: number
  readonly failAt: Step | undefined
}

/**
 * A pipeline that only waits. It has no queue of its own, so `start` resolves at the end of the run: if the process
 * dies before that, another worker starts the quote again.
 */
export function createPretendPipeline(options: PretendPipelineOptions): QuotePipeline {
  async function run(quote: Quote, { signal, report, readFile }: PipelineContext): Promise<void> {
    const { stepMs, failAt } = pretendOptions(quote, options.stepMs)
    const { status, steps } = await options.statusOf(quote)
    if (status === 'completed' || status === 'failed') return
    const unfinished = STEPS.filter(
      (step) => !steps.some((each) => each.step === step && each.status === 'completed'),
    )
    for (const step of unfinished) {
      await report.stepStarted(step)
      await sleep(stepMs, undefined, { signal })
      if (step === 'requirement_analysis') {
        const words = (await requirementsOf(quote, readFile)).split(/\s+/).length
        options.logger.info({ quotation_id: quote.id, words }, 'pipeline read the requirements')
      }
      if (step === failAt) return report.failed({ step, errorCode: `${step.toUpperCase()}_FAILED` })
      if (step === 'proposal') await options.publishProposal(quote)
      else await report.stepCompleted(step)
    }
    await report.completed()
  }

  return {
    async start(quote, context) {
      const tell = (what: string) => options.logger.info({ quotation_id: quote.id }, `pipeline ${what}`)
      tell('started')
      try {
        await run(quote, context)
      } catch (error) {
        if (context.signal.aborted) tell('broken off')
        throw error
      }
    },
    // The signal has already stopped the run.
    cancel: async ({ id }) => options.logger.info({ quotation_id: id }, 'pipeline cancelled'),
    signDocumentUrl: options.signDocumentUrl,
  }
}

/** The text and the readable files of a quote. For a docx or pdf only the name: a real pipeline would read them. */
async function requirementsOf(quote: Quote, readFile: PipelineContext['readFile']): Promise<string> {
  const texts = quote.requirementsText === null ? [] : [quote.requirementsText]
  for (const file of quote.files) {
    const isText = file.type === 'txt' || file.type === 'md'
    texts.push(isText ? await text(readFile(file)) : file.name)
  }
  return texts.join('\n\n')
}

type PipelineContext = Parameters<QuotePipeline['start']>[1]

function pretendOptions({ metadata }: Quote, stepMs: number): PretendOptions {
  const demo = metadata?.['demo']
  const asked: Record<string, unknown> = typeof demo === 'object' && demo !== null ? { ...demo } : {}
  const { step_ms, fail_at } = asked
  return {
    stepMs: typeof step_ms === 'number' && step_ms >= 0 ? step_ms : stepMs,
    failAt: STEPS.find((step) => step === fail_at),
  }
}
