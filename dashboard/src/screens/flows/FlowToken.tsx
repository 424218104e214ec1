/**
 * Creates the token with which a program starts a flow, and shows it once, with a sample call.
 *
 * @module
 */
import { useState } from "react"
import type { ValueOf } from "../../api/call.ts"
import { useChange } from "../../api/queries.ts"
import { useAccount } from "../../app/session.ts"
import { useTexts } from "../../app/reader.tsx"
import { Button } from "../../parts/form/Button.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { Row } from "../../parts/page/Columns.tsx"
import { Section } from "../../parts/page/Page.tsx"
import { Code, SecretOnce } from "../../parts/show/Code.tsx"
import { useEditorTexts } from "../../texts/editors/useEditorTexts.ts"

const route = "POST /accounts/:accountId/flows/:id/trigger-token"

/** A sample call that starts the flow. */
const sampleOf = ({ token, triggerUrl }: ValueOf<typeof route>): string =>
  `curl -X POST ${triggerUrl} \\
  -H "Authorization: Bearer ${token}" \\
  -H "Content-Type: application/json" \\
  -d '{"id": "call-1", "email": "ada@example.org", "properties": {"plan": "pro"}}'`

/** The section of the screen. */
export const FlowToken = ({ flowId }: { readonly flowId: string }) => {
  const { common } = useTexts()
  const { flow: texts } = useEditorTexts()
  const { id: accountId } = useAccount()
  const [made, setMade] = useState<ValueOf<typeof route> | null>(null)
  const { isPending, mutate, reset } = useChange(route)
  const close = () => {
    // The secret is discarded when the dialog closes.
    setMade(null)
    reset()
  }
  return (
    <Section title={texts.calls} text={texts.callsText}>
      <Row>
        <Button
          icon="key"
          isBusy={isPending}
          onClick={() =>
            mutate(
              { params: { accountId, id: flowId } },
              {
                onSuccess: setMade,
                onError: ({ message }) => toast(message, { tone: "bad" })
              }
            )
          }
        >
          {texts.makeToken}
        </Button>
      </Row>
      {made !== null && (
        <Dialog
          isOpen
          isWide
          onClose={close}
          title={texts.tokenTitle}
          actions={
            <Button tone="primary" onClick={close}>
              {common.done}
            </Button>
          }
        >
          <SecretOnce label={texts.token} secret={made.token} note={texts.tokenNote} />
          <Code label={texts.tokenSample}>{sampleOf(made)}</Code>
        </Dialog>
      )}
    </Section>
  )
}
