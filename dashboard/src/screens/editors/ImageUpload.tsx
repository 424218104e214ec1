/**
 * A button that uploads an image to the account.
 *
 * @module
 */
import { useRef, useState } from "react"
import { upload, urlOf, type ValueOf } from "../../api/call.ts"
import { ApiError } from "../../api/errors.ts"
import { useAccount } from "../../app/session.ts"
import { Button } from "../../parts/form/Button.tsx"
import { toast } from "../../parts/overlay/toasts.ts"

/** An image of the account. */
export type UploadedImage = ValueOf<"GET /accounts/:accountId/images/:id">

/** The types that the service accepts. */
const accepted = "image/png,image/jpeg,image/gif,image/webp"

/** The button. */
export const ImageUpload = ({
  busyLabel,
  label,
  onUploaded
}: {
  readonly label: string
  readonly busyLabel: string
  readonly onUploaded: (image: UploadedImage) => void
}) => {
  const { id: accountId } = useAccount()
  const [isBusy, setBusy] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const send = async (file: File) => {
    setBusy(true)
    try {
      const url = urlOf("/accounts/:accountId/images", { accountId }, { name: file.name })
      onUploaded(await upload<UploadedImage>(url, file, "application/octet-stream"))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      toast(error.message, { tone: "bad" })
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <input
        ref={input}
        type="file"
        accept={accepted}
        hidden
        aria-label={label}
        onChange={({ target }) => {
          const [file] = target.files ?? []
          target.value = ""
          if (file !== undefined) void send(file)
        }}
      />
      <Button icon="upload" isBusy={isBusy} onClick={() => input.current?.click()}>
        {isBusy ? busyLabel : label}
      </Button>
    </>
  )
}
