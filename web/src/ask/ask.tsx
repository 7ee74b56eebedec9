/** The button beside a number or a title that shows how to ask for it elsewhere. Its panel is loaded when it opens. */
import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { selectedHeight } from '../api/height.ts'
import type { Question } from '../api/question.ts'
import type { PanelProps } from './panel.tsx'

export function AskButton({
  question,
  height,
  label,
}: {
  readonly question: Question
  /** Height of a question over REST; that of the page without it. */
  readonly height?: bigint | undefined
  /** Thing that is asked for, to tell buttons of a page apart. */
  readonly label?: string
}) {
  const [isOpen, setOpen] = useState(false)
  const name = label ? `How to get ${label}` : 'How to get this'
  return (
    <>
      <button
        type="button"
        class="how-button"
        title={name}
        aria-label={name}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        {'</>'}
      </button>
      {isOpen && <AskDialog name={name} question={question} height={height} onClose={() => setOpen(false)} />}
    </>
  )
}

function AskDialog({
  name,
  question,
  height,
  onClose,
}: PanelProps & { readonly name: string; readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [loaded, setLoaded] = useState<{ readonly Panel?: ComponentType<PanelProps>; readonly failed?: boolean }>({})
  useEffect(() => {
    dialog.current?.showModal()
    import('./panel.tsx').then(
      ({ Panel }) => setLoaded({ Panel }),
      () => setLoaded({ failed: true }),
    )
  }, [])
  const { Panel, failed } = loaded
  return (
    <dialog ref={dialog} class="how-dialog" aria-label={name} onClose={onClose}>
      <header class="card-head">
        <h2>{name}</h2>
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </header>
      {failed && <p role="alert">The code of this panel could not be loaded; reload the console.</p>}
      {Panel ? <Panel question={question} height={height ?? selectedHeight()} /> : <div class="how-waiting" />}
    </dialog>
  )
}
