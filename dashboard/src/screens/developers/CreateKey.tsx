/**
 * The dialog that creates a key, and shows it once.
 *
 * @module
 */
import { useChange } from "../../api/queries.ts"
import { useTexts } from "../../app/reader.tsx"
import { TokenDialog } from "../../parts/overlay/CreateDialog.tsx"

/** The dialog. */
export const CreateKey = ({
  accountId,
  onClose
}: {
  readonly accountId: string
  readonly onClose: () => void
}) => {
  const { keys: texts } = useTexts()
  const change = useChange("POST /accounts/:accountId/api-keys", {
    renews: ["GET /accounts/:accountId/api-keys"]
  })
  const options = Object.entries(texts.permissionTexts).map(([value, label]) => ({
    value,
    label,
    hint: value
  }))
  return (
    <TokenDialog
      change={change}
      onClose={onClose}
      title={texts.add}
      text={texts.addText}
      name={texts.name}
      nameHint={texts.nameHint}
      choices={[{ label: texts.permissions, options }]}
      choose={texts.choose}
      initial={["emails:send"]}
      shown={({ key }) => ({ label: texts.key, secret: key, note: texts.once })}
      onCreate={({ rights, ...draft }) =>
        change.mutate({ params: { accountId }, body: { ...draft, permissions: rights } })
      }
    />
  )
}
