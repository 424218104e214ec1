/**
 * An area where a file can be dropped or chosen.
 *
 * @module
 */
import { type DragEvent, useRef, useState } from "react"
import { classes } from "../../lib/classes.ts"
import { Icon } from "../page/Icon.tsx"
import { Button } from "./Button.tsx"
import styles from "./FileDrop.module.css"

/** An area where a file can be dropped or chosen. */
export const FileDrop = ({
  accept,
  choose,
  onFile,
  text
}: {
  /** The file types that the browser's dialog offers. */
  readonly accept: string
  /** The label of the button that opens the browser's dialog. */
  readonly choose: string
  readonly text: string
  readonly onFile: (file: File) => void
}) => {
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const [file] = event.dataTransfer.files
    if (file !== undefined) onFile(file)
  }
  return (
    <div
      className={classes(styles["drop"], isOver && styles["isOver"])}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Icon name="inbox" size={24} />
      <span>{text}</span>
      <Button onClick={() => input.current?.click()}>{choose}</Button>
      <input
        ref={input}
        type="file"
        accept={accept}
        aria-label={choose}
        className={styles["file"]}
        tabIndex={-1}
        onChange={(event) => {
          const file = event.target.files?.[0]
          if (file !== undefined) onFile(file)
        }}
      />
    </div>
  )
}
