import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { usePortal } from '../portal.ts'
import type { Action } from '../use-action.ts'
import { Button } from './button.tsx'
import { ErrorNotice } from './notice.tsx'

interface DialogProps {
  title: string
  children: ComponentChildren
  /** The buttons at the end. */
  footer: ComponentChildren
  isWide?: boolean
  /** Without it, only the dialog's own buttons close it: for secrets that are shown once. */
  onClose?: (() => void) | undefined
}

/** A modal dialog while rendered. Returns the focus afterwards. */
export function Dialog({ title, children, footer, isWide = false, onClose }: DialogProps) {
  const titleId = useId()
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={element}
      class={isWide ? 'wide' : undefined}
      aria-labelledby={titleId}
      onCancel={(event) => {
        if (event.target !== element.current) return
        event.preventDefault()
        onClose?.()
      }}
    >
      <h2 id={titleId}>{title}</h2>
      <div class="dialog-body">{children}</div>
      <footer>{footer}</footer>
    </dialog>
  )
}

/** A dialog with fields. The input is kept if sending fails. */
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
}: Omit<DialogProps, 'footer' | 'onClose'> & {
  submit: string
  action: Action
  onSubmit: () => Promise<void>
  onClose: () => void
  isDanger?: boolean
  isDisabled?: boolean
  /** The label of the close button. */
  close?: string
}) {
  const { t } = usePortal()
  const formId = useId()
  return (
    <Dialog
      title={title}
      isWide={isWide ?? false}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{close ?? t('action.cancel')}</Button>
          <Button
            type="submit"
            kind={isDanger ? 'danger' : 'primary'}
            form={formId}
            isBusy={action.isRunning}
            disabled={isDisabled}
          >
            {submit}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        onSubmit={(event) => {
          event.preventDefault()
          void action.run(onSubmit)
        }}
      >
        {children}
        <ErrorNotice error={action.error} />
      </form>
    </Dialog>
  )
}
