/** The props of the page of a subject. `item` is the thing that the address names: a pair, a validator, a proposal, a denom. */
export interface SubjectProps {
  readonly item: string
}
