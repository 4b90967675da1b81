import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { usePortal } from '../portal.ts'
import { type Action, useAction } from '../use-action.ts'
import { useHold } from '../use-hold.ts'
import { Button } from './button.tsx'
import { CopyButton } from './copy.tsx'
import { rememberFocus, returnFocus, showFirstError } from './focus.ts'
import { LiveRegion } from './live-region.tsx'
import { ErrorNotice } from './notice.tsx'

interface DialogProps {
  title: string
  children: ComponentChildren
  /** The buttons at the end. */
  footer: ComponentChildren
  isWide?: boolean
  /** Without it, only the dialog's own buttons close it: for secrets that are shown once, and during a request. */
  onClose?: (() => void) | undefined
}

/** A modal dialog while rendered. Returns the focus afterwards. */
export function Dialog({ title, children, footer, isWide = false, onClose }: DialogProps) {
  const titleId = useId()
  const element = useRef<HTMLDialogElement>(null)
  const isShown = useRef(false)
  useLayoutEffect(() => {
    const dialog = element.current
    rememberFocus(dialog)
    isShown.current = true
    dialog?.showModal()
    return () => {
      isShown.current = false
      dialog?.close()
      returnFocus(dialog)
    }
  }, [])
  const isOwn = (event: { target: unknown }) => event.target === element.current
  return (
    <dialog
      ref={element}
      class={isWide ? 'wide' : undefined}
      aria-labelledby={titleId}
      closedby={onClose === undefined ? 'none' : 'closerequest'}
      // Browsers close it at the second Esc, whatever `cancel` says.
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        onClose?.()
      }}
      onCancel={(event) => {
        if (!isOwn(event)) return
        event.preventDefault()
        onClose?.()
      }}
      onClose={(event) => {
        if (!isOwn(event) || !isShown.current) return
        if (onClose === undefined) element.current?.showModal()
        else onClose()
      }}
    >
      <h2 id={titleId}>{title}</h2>
      <div class="dialog-body">{children}</div>
      <footer>{footer}</footer>
      <LiveRegion />
    </dialog>
  )
}

/** A dialog to read: `actions`, then a button that closes it. */
export function InfoDialog({
  actions,
  onClose,
  ...props
}: Omit<DialogProps, 'footer' | 'onClose'> & { actions?: ComponentChildren; onClose: () => void }) {
  const { t } = usePortal()
  return (
    <Dialog
      {...props}
      onClose={onClose}
      footer={
        <>
          {actions}
          <Button kind="primary" onClick={onClose}>
            {t('action.close')}
          </Button>
        </>
      }
    />
  )
}

/** A secret that is never shown again: it closes only by "I have stored it". */
export function SecretDialog({
  text,
  secret,
  onStored,
  children,
  ...props
}: Omit<DialogProps, 'footer' | 'onClose'> & { text: string; secret: string; onStored: () => void }) {
  const { t, announcer } = usePortal()
  const textId = useId()
  useHold('secret', true)
  useEffect(() => announcer.say(text), [])
  return (
    <Dialog
      {...props}
      footer={
        <Button kind="primary" onClick={onStored}>
          {t('action.stored')}
        </Button>
      }
    >
      <p id={textId} class="lead">
        {text}
      </p>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for what is filled in */}
      <div class="secret" role="group" aria-label={props.title} aria-describedby={textId}>
        <code>{secret}</code>
        <CopyButton text={secret} />
      </div>
      {children}
    </Dialog>
  )
}

/** Asks for confirmation, then acts. */
export function Confirm({
  text,
  work,
  ...props
}: Pick<FormDialogProps, 'title' | 'submit' | 'isDanger' | 'onClose'> & {
  text: string
  work: () => Promise<void>
}) {
  const action = useAction()
  return (
    <FormDialog {...props} action={action} onSubmit={work}>
      <p>{text}</p>
    </FormDialog>
  )
}

/** Fields that are typed in. */
const TYPED = 'textarea, input:not([type="radio"], [type="checkbox"])'

interface FormDialogProps extends Omit<DialogProps, 'footer' | 'onClose'> {
  submit: string
  action: Action
  onSubmit: () => Promise<void>
  onClose: () => void
  isDanger?: boolean
  isDisabled?: boolean
  /** The label of the close button. */
  close?: string
}

/** A dialog with fields. The input is kept if sending fails. It cannot be closed while the request runs. */
export function FormDialog({
  title,
  submit,
  action,
  onSubmit,
  onClose,
  children,
  isWide,
  isDanger = false,
  isDisabled = false,
  close,
}: FormDialogProps) {
  const { t, navigation } = usePortal()
  const formId = useId()
  const form = useRef<HTMLFormElement>(null)
  const { isRunning, error } = action
  const [isTyped, setTyped] = useState(false)
  useEffect(() => showFirstError(form.current), [error])
  useHold('draft', isTyped)
  useHold('running', isRunning)
  // A question only for what somebody has typed: the rest is chosen again with a click.
  const leave = () => navigation.leave(onClose)
  return (
    <Dialog
      title={title}
      isWide={isWide ?? false}
      onClose={isRunning ? undefined : leave}
      footer={
        <>
          <Button onClick={leave} disabled={isRunning}>
            {close ?? t('action.cancel')}
          </Button>
          <Button
            type="submit"
            kind={isDanger ? 'danger' : 'primary'}
            form={formId}
            isBusy={isRunning}
            disabled={isDisabled}
          >
            {submit}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        ref={form}
        onInput={({ target }) => {
          if (target instanceof HTMLElement && target.matches(TYPED)) setTyped(true)
        }}
        onSubmit={(event) => {
          event.preventDefault()
          void action.run(onSubmit)
        }}
      >
        {children}
        <ErrorNotice error={error} />
      </form>
    </Dialog>
  )
}
