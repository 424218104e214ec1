/**
 * Copies a text.
 *
 * @module
 */
import { useEffect, useState } from "react"
import { useTexts } from "../../app/reader.tsx"
import { Button, IconButton } from "../form/Button.tsx"

const shownMillis = 2_000

/** A button that copies `value` and confirms it; with `label`, the button has text. */
export const CopyButton = ({ label, value }: { readonly value: string; readonly label?: string }) => {
  const texts = useTexts()
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return undefined
    const timer = setTimeout(() => setCopied(false), shownMillis)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = () => {
    void navigator.clipboard.writeText(value).then(
      () => setCopied(true),
      () => undefined
    )
  }
  const icon = isCopied ? "check" : "copy"
  return label === undefined ? (
    <IconButton
      isSmall
      icon={icon}
      label={isCopied ? texts.common.copied : texts.common.copy}
      onClick={copy}
    />
  ) : (
    <Button isSmall icon={icon} onClick={copy}>
      {isCopied ? texts.common.copied : label}
    </Button>
  )
}
