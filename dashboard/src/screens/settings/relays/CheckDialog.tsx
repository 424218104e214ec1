/**
 * Checks the login at a relay, and shows each step with the server's reply.
 *
 * @module
 */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { call, type ValueOf } from "../../../api/call.ts"
import type { ApiError } from "../../../api/errors.ts"
import { useFormat, useTexts } from "../../../app/reader.tsx"
import { Button } from "../../../parts/form/Button.tsx"
import { Dialog } from "../../../parts/overlay/Dialog.tsx"
import { Banner } from "../../../parts/page/Banner.tsx"
import { Entry, Rows } from "../../../parts/page/Columns.tsx"
import { Loaded } from "../../../parts/page/Loaded.tsx"
import { Card } from "../../../parts/page/Page.tsx"
import { Badge } from "../../../parts/show/Badge.tsx"
import { useRelayTexts } from "../../../texts/relays/useRelayTexts.ts"
import { type Relay, relaysRoute } from "./RelayDialog.tsx"

const checkRoute = "POST /companies/:companyId/relays/:id/check"

/** The dialog. The check starts when it opens. */
export const CheckDialog = ({
  companyId,
  onClose,
  relay: { id, name }
}: {
  readonly companyId: string
  readonly relay: Pick<Relay, "id" | "name">
  readonly onClose: () => void
}) => {
  const { common } = useTexts()
  const { checks: texts } = useRelayTexts()
  const format = useFormat()
  const client = useQueryClient()
  const query = useQuery<ValueOf<typeof checkRoute>, ApiError>({
    queryKey: [checkRoute, companyId, id],
    queryFn: async ({ signal }) => {
      const checked = await call(checkRoute, { params: { companyId, id } }, { signal })
      // The check updates the relay's state.
      void client.invalidateQueries({ queryKey: [relaysRoute] })
      return checked
    },
    gcTime: 0,
    staleTime: Infinity,
    retry: false
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={texts.title(name)}
      actions={
        <Button tone="primary" onClick={onClose}>
          {common.done}
        </Button>
      }
    >
      <Loaded query={query}>
        {({ ok, steps }) => (
          <>
            <Banner tone={ok ? "good" : "bad"}>{ok ? texts.ok : texts.failed}</Banner>
            <Card isFlush>
              <Rows>
                {steps.map(({ ms, ok: isGood, step, words }) => (
                  <Entry
                    key={step}
                    text={<span dir="auto">{words}</span>}
                    end={texts.took(format.number(ms))}
                  >
                    <Badge tone={isGood ? "good" : "bad"}>{texts.steps[step] ?? step}</Badge>
                  </Entry>
                ))}
              </Rows>
            </Card>
          </>
        )}
      </Loaded>
    </Dialog>
  )
}
