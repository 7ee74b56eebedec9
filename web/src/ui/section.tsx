/** A titled part of a page, and the facts in it. */
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import type { Question } from '../api/question.ts'
import { AskButton } from '../ask/ask.tsx'

/** A card with a title. `question` is what its numbers were asked by; the button beside the title shows how to ask it. */
export function Section({
  title,
  question,
  actions,
  children,
}: {
  readonly title: ComponentChildren
  readonly question?: Question | undefined
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}) {
  const id = useId()
  return (
    <section class="card" aria-labelledby={id}>
      <header class="card-head">
        <h2 id={id}>{title}</h2>
        <div class="card-actions">
          {actions}
          {question && <AskButton question={question} />}
        </div>
      </header>
      {children}
    </section>
  )
}

/** A page's title, with a line of what it is. */
export function PageTitle({
  title,
  children,
}: {
  readonly title: ComponentChildren
  readonly children?: ComponentChildren
}) {
  return (
    <div class="page-title">
      <h1>{title}</h1>
      {children && <p>{children}</p>}
    </div>
  )
}

/** A list of names and values. */
export const Facts = ({ children }: { readonly children: ComponentChildren }) => <dl class="facts">{children}</dl>

export function Fact({ name, children }: { readonly name: ComponentChildren; readonly children: ComponentChildren }) {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
