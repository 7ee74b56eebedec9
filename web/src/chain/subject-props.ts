/** What the page of a subject is given. `item` is the thing that the address names: a pair, a validator, a proposal, a denom. */
export interface SubjectProps {
  readonly item: string
}
