/**
 * The layout of a screen about one thing: its activity in the main column, its properties beside it. In a narrow window, the
 * columns are stacked.
 *
 * @module
 */
import type { ReactNode } from "react"
import styles from "./Columns.module.css"

/** Two columns. */
export const Columns = ({ aside, children }: { readonly aside: ReactNode; readonly children: ReactNode }) => (
  <div className={styles["columns"]}>
    <div className={styles["main"]}>{children}</div>
    <aside className={styles["aside"]}>{aside}</aside>
  </div>
)

/** Short elements in a row, such as tags. */
export const Row = ({ children }: { readonly children: ReactNode }) => (
  <div className={styles["row"]}>{children}</div>
)

/** Entries below each other within a card, separated by lines. */
export const Rows = ({ children }: { readonly children: ReactNode }) => (
  <ul className={styles["rows"]}>{children}</ul>
)

/** An entry: a picture, a title, details, and a time or buttons at the end. */
export const Entry = ({
  children,
  end,
  picture,
  text
}: {
  readonly children: ReactNode
  readonly picture?: ReactNode
  readonly text?: ReactNode
  readonly end?: ReactNode
}) => (
  <li className={styles["entry"]}>
    {picture}
    <div className={styles["what"]}>
      <div className={styles["name"]}>{children}</div>
      {text !== undefined && text !== null && <div className={styles["text"]}>{text}</div>}
    </div>
    {end !== undefined && <div className={styles["end"]}>{end}</div>}
  </li>
)

/** A muted sentence shown instead of entries. */
export const Nothing = ({ children }: { readonly children: ReactNode }) => (
  <p className={styles["nothing"]}>{children}</p>
)

/** A few figures with their labels. */
export const Figures = ({
  figures
}: {
  readonly figures: ReadonlyArray<{ readonly name: string; readonly value: ReactNode }>
}) => (
  <dl className={styles["figures"]}>
    {figures.map(({ name, value }) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)
