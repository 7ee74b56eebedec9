/** Tables. On a phone a row becomes a block of names and values, so that no column is out of sight. */
import type { ComponentChildren } from 'preact'

export interface Column<Row> {
  readonly name: string
  /** Whether its values are numbers, which end at the right. */
  readonly isRight?: boolean
  readonly class?: string
  readonly cell: (row: Row) => ComponentChildren
}

/** A table of rows. `label` names it for the keyboard where it can be wider than the page. */
export function Table<Row>({
  rows,
  columns,
  keyOf,
  chosen,
  class: name = '',
  isNarrow = false,
  label,
}: {
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  readonly keyOf: (row: Row) => string
  /** Key of the row that the page shows. */
  readonly chosen?: string | undefined
  readonly class?: string
  /** Whether it fits a phone as it is. */
  readonly isNarrow?: boolean
  readonly label?: string
}) {
  const classOf = ({ isRight, class: own = '' }: Column<Row>) => `${own}${isRight ? ' right' : ''}`.trim() || undefined
  return (
    <div class="table-box" {...(label && { tabIndex: 0, role: 'region', 'aria-label': label })}>
      <table class={`${name}${isNarrow ? '' : ' table-blocks'}`.trim() || undefined}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" class={column.isRight ? 'right' : undefined}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} class={chosen !== undefined && keyOf(row) === chosen ? 'table-chosen' : undefined}>
              {columns.map((column) => (
                <td key={column.name} class={classOf(column)} data-name={column.name}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
