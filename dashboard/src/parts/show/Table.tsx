/**
 * A short table of facts, drawn whole. What can grow is a list (`parts/list`).
 *
 * @module
 */
import type { ReactNode } from "react"
import { classes } from "../../lib/classes.ts"
import styles from "./Table.module.css"

/** A column of a table. */
export interface TableColumn<Row> {
  readonly key: string
  readonly head: ReactNode
  readonly cell: (row: Row) => ReactNode
  /** Numbers end at the same edge. */
  readonly isEnd?: boolean
}

/** The most columns that are as far apart as those of other tables. */
const fullColumns = 8

/** A table; the first column names its row. It scrolls sideways where it is wider than its place. */
export const Table = <Row,>({
  columns,
  keyOf,
  label,
  rows
}: {
  readonly label: string
  readonly columns: ReadonlyArray<TableColumn<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly keyOf: (row: Row) => string
}) => (
  // It scrolls, so that the keyboard must reach it.
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
  <div className={styles["scroller"]} tabIndex={0} role="group" aria-label={label}>
    <table className={classes(styles["table"], columns.length > fullColumns && styles["dense"])}>
      <thead>
        <tr>
          {columns.map(({ head, isEnd, key }) => (
            <th key={key} scope="col" className={classes(isEnd && styles["isEnd"])}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ cell, isEnd, key }, at) =>
              at === 0 ? (
                <th key={key} scope="row">
                  {cell(row)}
                </th>
              ) : (
                <td key={key} className={classes(isEnd && styles["isEnd"])}>
                  {cell(row)}
                </td>
              )
            )}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
