/**
 * The frame of the pages that need no session: one form in the middle.
 *
 * @module
 */
import { type ReactNode, useEffect } from "react"
import { useTexts } from "../../app/reader.tsx"
import styles from "./Outside.module.css"

/** A page with one form. */
export const Outside = ({
  children,
  text,
  title
}: {
  readonly title: string
  readonly text?: ReactNode
  readonly children: ReactNode
}) => {
  const { product } = useTexts()
  useEffect(() => {
    document.title = `${title} · ${product}`
  }, [product, title])
  return (
    <main className={styles["page"]}>
      <div className={styles["box"]}>
        <img src="/favicon.svg" alt="" width="32" height="32" />
        <div className={styles["head"]}>
          <h1>{title}</h1>
          {text !== undefined && <p>{text}</p>}
        </div>
        {children}
      </div>
    </main>
  )
}
