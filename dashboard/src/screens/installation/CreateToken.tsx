/**
 * Creates a token of the installation.
 *
 * @module
 */
import { useChange } from "../../api/queries.ts"
import { useTexts } from "../../app/reader.tsx"
import { companyRights, installationRights } from "../../lib/rights.ts"
import { TokenDialog } from "../../parts/overlay/CreateDialog.tsx"

const optionsOf = (rights: ReadonlyArray<string>) => rights.map((value) => ({ value, label: value }))

/** The dialog. */
export const CreateToken = ({ onClose }: { readonly onClose: () => void }) => {
  const { installation: texts, tokens } = useTexts()
  const change = useChange("POST /tokens", { renews: ["GET /tokens"] })
  return (
    <TokenDialog
      change={change}
      isWide
      onClose={onClose}
      title={tokens.add}
      text={texts.tokensText}
      name={tokens.name}
      choices={[
        { label: texts.installationRights, options: optionsOf(installationRights) },
        { label: texts.companyRights, options: optionsOf(companyRights) }
      ]}
      choose={tokens.choose}
      shown={({ token }) => ({ label: tokens.token, secret: token, note: tokens.once })}
      onCreate={(body) => change.mutate({ body })}
    />
  )
}
