import { useEffect, useRef, useState } from 'preact/hooks'
import type { CatalogEntry, EndpointInput, EndpointWithSecret, WebhookEndpoint } from '../api/types.ts'
import { Button } from '../parts/button.tsx'
import { Choice, TextField } from '../parts/field.tsx'
import { showFirstError } from '../parts/focus.ts'
import { ErrorNotice } from '../parts/notice.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Unfound } from '../parts/unfound.tsx'
import { usePortal } from '../portal.ts'
import { useAction } from '../use-action.ts'
import { useHold } from '../use-hold.ts'
import { useLoaded } from '../use-loaded.ts'
import { EventTree } from './event-tree.tsx'
import { type HeaderField, HeaderFields, headersOf } from './header-fields.tsx'
import { ShowSecret } from './rotate-secret.tsx'

/** Creates or changes an endpoint. */
export function EndpointForm({ id }: { id: string | null }) {
  const { t, client } = usePortal()
  const loaded = useLoaded(`form ${id}`, async (signal) => {
    const [catalog, endpoint] = await Promise.all([
      client.events(),
      id === null ? null : client.endpoints.get(id, signal),
    ])
    return { catalog, endpoint }
  })
  const title =
    id === null ? t('endpoints.add') : t('endpoints.edit', { name: loaded.value?.endpoint?.name ?? '' })
  if (loaded.value === undefined) return <Unfound title={title} view="endpoints" loaded={loaded} />
  return (
    <>
      <PageHead title={title} above={{ label: t('endpoints.title'), view: 'endpoints' }} />
      <Editor catalog={loaded.value.catalog} endpoint={loaded.value.endpoint} />
    </>
  )
}

const MODES = ['headless_only', 'always'] as const
const ORDERINGS = ['none', 'quotation'] as const

interface Form {
  readonly name: string
  readonly url: string
  readonly description: string
  readonly events: ReadonlySet<string>
  readonly mode: (typeof MODES)[number]
  readonly ordering: (typeof ORDERINGS)[number]
  readonly removedHeaders: ReadonlySet<string>
  readonly addedHeaders: readonly HeaderField[]
}

function formOf(endpoint: WebhookEndpoint | null, catalog: readonly CatalogEntry[]): Form {
  return {
    name: endpoint?.name ?? '',
    url: endpoint?.url ?? '',
    description: endpoint?.description ?? '',
    events: new Set(endpoint?.events ?? catalog.map(({ type }) => type)),
    mode: endpoint?.trigger_mode ?? 'headless_only',
    ordering: endpoint?.ordering ?? 'none',
    removedHeaders: new Set(),
    addedHeaders: [],
  }
}

function inputOf(form: Form, catalog: readonly CatalogEntry[]): EndpointInput {
  return {
    name: form.name.trim(),
    url: form.url.trim(),
    description: form.description.trim() === '' ? null : form.description.trim(),
    events: catalog.map(({ type }) => type).filter((type) => form.events.has(type)),
    trigger_mode: form.mode,
    ordering: form.ordering,
  }
}

/** The form with its values, and saving them. */
function Editor({
  catalog,
  endpoint,
}: {
  catalog: readonly CatalogEntry[]
  endpoint: WebhookEndpoint | null
}) {
  const { t, client, navigation, announcer, endpoints } = usePortal()
  const element = useRef<HTMLFormElement>(null)
  const [base, setBase] = useState(endpoint)
  const [form, setForm] = useState(() => formOf(endpoint, catalog))
  const [created, setCreated] = useState<EndpointWithSecret | null>(null)
  const [newer, setNewer] = useState<WebhookEndpoint | null>(null)
  const [timesSent, setTimesSent] = useState(0)
  const [isTyped, setTyped] = useState(false)
  const action = useAction()

  const set = (change: Partial<Form>) => {
    setForm({ ...form, ...change })
    setTyped(true)
  }
  useHold('draft', isTyped && created === null)
  useHold('running', action.isRunning)
  useEffect(() => showFirstError(element.current), [timesSent, action.error])
  const input = inputOf(form, catalog)
  const isMoved = base !== null && originOf(base.url) !== originOf(input.url)
  const headers = isMoved
    ? (headersOf(new Set(), form.addedHeaders) ?? {})
    : headersOf(form.removedHeaders, form.addedHeaders)
  const problems = timesSent > 0 ? problemsOf(input) : {}
  const errorOf = (name: keyof EndpointInput) => {
    const problem = problems[name as keyof Problems]
    return problem === undefined ? action.fieldError(name) : t(problem)
  }
  const back = (options?: { isDone: true }) =>
    navigation.go(endpoint === null ? { view: 'endpoints' } : { view: 'endpoints', id: endpoint.id }, options)

  async function save() {
    setTimesSent(timesSent + 1)
    if (Object.keys(problemsOf(input)).length > 0) return
    if (base === null) {
      setCreated(await client.endpoints.create({ ...input, ...(headers && { headers }) }))
      return void endpoints.reload()
    }
    const current = await client.endpoints.get(base.id)
    if (current.updated_at !== base.updated_at) {
      setNewer(current)
      setBase(current)
      return
    }
    setNewer(null)
    // Compared with the initial values, so that others' changes are kept.
    const changes = { ...changedFields(endpoint ?? base, input), ...(headers && { headers }) }
    if (Object.keys(changes).length > 0) await client.endpoints.update(base.id, changes)
    void endpoints.reload()
    announcer.say(t('action.saved'))
    back({ isDone: true })
  }

  return (
    <form
      ref={element}
      class="card form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void action.run(save)
      }}
    >
      <Fields
        catalog={catalog}
        form={form}
        set={set}
        errorOf={errorOf}
        isMoved={isMoved}
        knownHeaders={base?.header_names ?? []}
      />
      {newer !== null && <Newer before={endpoint ?? newer} after={newer} />}
      <ErrorNotice error={action.error} />
      {Object.keys(problems).length > 0 && (
        <div class="notice bad" role="alert">
          <p>{t('problem.summary', { count: Object.keys(problems).length })}</p>
        </div>
      )}
      <footer class="actions">
        <Button onClick={() => back()}>{t('action.cancel')}</Button>
        <Button type="submit" kind="primary" isBusy={action.isRunning}>
          {endpoint === null
            ? t('endpoints.add')
            : newer === null
              ? t('action.save')
              : t('endpoints.changed.save')}
        </Button>
      </footer>
      {created !== null && (
        <ShowSecret
          endpoint={created}
          onStored={({ id }) => navigation.go({ view: 'endpoints', id }, { replace: true, isDone: true })}
        />
      )}
    </form>
  )
}

function Fields({
  catalog,
  form,
  set,
  errorOf,
  isMoved,
  knownHeaders,
}: {
  catalog: readonly CatalogEntry[]
  form: Form
  set: (change: Partial<Form>) => void
  errorOf: (name: keyof EndpointInput) => string | undefined
  /** Whether the URL is of another origin than before. */
  isMoved: boolean
  knownHeaders: readonly string[]
}) {
  const { t } = usePortal()
  // What differs from a new endpoint, once: it would close while somebody types.
  const [isOpen] = useState(() => {
    const { description, mode, ordering } = form
    return knownHeaders.length > 0 || description !== '' || mode !== MODES[0] || ordering !== ORDERINGS[0]
  })
  const moreErrors = (['description', 'trigger_mode', 'ordering', 'headers'] as const).some(
    (name) => errorOf(name) !== undefined,
  )
  return (
    <>
      <div class="name-url">
        <TextField
          label={t('endpoints.name')}
          hint={t('endpoints.name.hint')}
          value={form.name}
          maxLength={200}
          onInput={(name) => set({ name })}
          error={errorOf('name')}
        />
        <TextField
          type="url"
          label={t('endpoints.url')}
          hint={t('endpoints.url.hint')}
          placeholder="https://"
          value={form.url}
          maxLength={2048}
          onInput={(url) => set({ url })}
          error={errorOf('url')}
        />
      </div>
      <EventTree
        catalog={catalog}
        chosen={form.events}
        onChange={(events) => set({ events })}
        error={errorOf('events')}
      />
      <details class="more" open={isOpen || moreErrors}>
        <summary>{t('endpoints.more')}</summary>
        <div class="more-fields">
          <Choice
            legend={t('endpoints.mode')}
            value={form.mode}
            onChange={(mode) => set({ mode })}
            options={MODES.map((value) => ({
              value,
              label: t(`endpoints.mode.${value}`),
              hint: t(`endpoints.mode.${value}.hint`),
            }))}
          />
          <Choice
            legend={t('endpoints.ordering')}
            value={form.ordering}
            onChange={(ordering) => set({ ordering })}
            options={ORDERINGS.map((value) => ({
              value,
              label: t(`endpoints.ordering.${value}`),
              hint: t(`endpoints.ordering.${value}.hint`),
            }))}
          />
          <HeaderFields
            known={isMoved ? [] : knownHeaders}
            removed={form.removedHeaders}
            added={form.addedHeaders}
            hint={t(
              isMoved && knownHeaders.length > 0 ? 'endpoints.headers.moved' : 'endpoints.headers.hint',
            )}
            error={errorOf('headers')}
            onRemovedChange={(removedHeaders) => set({ removedHeaders })}
            onAddedChange={(addedHeaders) => set({ addedHeaders })}
          />
          <TextField
            type="lines"
            label={t('endpoints.description')}
            isOptional={t('optional')}
            value={form.description}
            onInput={(description) => set({ description })}
            error={errorOf('description')}
          />
        </div>
      </details>
    </>
  )
}

/** Somebody else changed the endpoint while this form was open. */
function Newer({ before, after }: { before: WebhookEndpoint; after: WebhookEndpoint }) {
  const { t } = usePortal()
  const fields = Object.keys(changedFields(before, after)).join(', ') || t('endpoints.changed.elsewhere')
  return (
    <div class="notice" role="alert">
      <p>{t('endpoints.changed', { fields })}</p>
    </div>
  )
}

/** Where headers are sent; a value is not taken along to another origin. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url
}

type Problems = Partial<
  Record<'name' | 'url' | 'events', 'problem.required' | 'problem.https' | 'problem.events'>
>

/** Checks before sending. The API does the rest. */
function problemsOf({ name, url, events }: EndpointInput): Problems {
  return {
    ...(name === '' ? { name: 'problem.required' } : {}),
    ...(url.startsWith('https://') && URL.canParse(url)
      ? {}
      : { url: url === '' ? 'problem.required' : 'problem.https' }),
    ...(events.length === 0 ? { events: 'problem.events' } : {}),
  }
}

/** The changed fields. */
function changedFields(before: EndpointInput, after: EndpointInput): Partial<EndpointInput> {
  const changes: Partial<EndpointInput> = {}
  if (after.name !== before.name) changes.name = after.name
  if (after.url !== before.url) changes.url = after.url
  if ((after.description ?? '') !== (before.description ?? '')) changes.description = after.description
  if (after.events.toSorted().join() !== before.events.toSorted().join()) changes.events = after.events
  if (after.trigger_mode !== before.trigger_mode) changes.trigger_mode = after.trigger_mode
  if (after.ordering !== before.ordering) changes.ordering = after.ordering
  return changes
}
