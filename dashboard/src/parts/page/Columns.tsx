/**
 * A screen about one thing: what happens to it, and beside that what it is. In a narrow window, one below the other.
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

/** Short things beside each other, such as tags. */
export const Row = ({ children }: { readonly children: ReactNode }) => (
  <div className={styles["row"]}>{children}</div>
)

/** Entries one below the other with lines between them, within a card. */
export const Rows = ({ children }: { readonly children: ReactNode }) => (
  <ul className={styles["rows"]}>{children}</ul>
)

/** An entry: a picture, what it is, more about it, and at the end a time or buttons. */
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

/** A soft sentence in the place of entries. */
export const Nothing = ({ children }: { readonly children: ReactNode }) => (
  <p className={styles["nothing"]}>{children}</p>
)

/** A few numbers with their names. */
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
