/**
 * A short table that is rendered as a whole. Data of unlimited length belong into a list (`parts/list`).
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
  /** Aligns numbers at the end of the column. */
  readonly isEnd?: boolean
}

/** The most columns with normal spacing; tables with more are set closer. */
const fullColumns = 8

/** A table. The first column is the row's header. A table wider than its container scrolls sideways. */
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
  // Scrollable content must be focusable for the keyboard.
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
