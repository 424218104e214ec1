/**
 * The filters of emails whose values are typed, or chosen from long lists.
 *
 * @module
 */
import { useExtra } from "../../api/queries.ts"
import { useAccount } from "../../app/session.ts"
import { MoreFilters, type MoreFiltersProps } from "../../parts/list/MoreFilters.tsx"
import { useListTexts } from "../../texts/lists/useListTexts.ts"

/** As many as a filter offers. A link from another screen can filter by any id. */
const offered = { limit: 200 }

const choices = (items: ReadonlyArray<{ readonly id: string; readonly name: string }> | undefined) =>
  (items ?? []).map(({ id, name }) => ({ value: id, label: name }))

/** The dialog. */
export const EmailFilters = (props: MoreFiltersProps) => {
  const { contact, emails: texts, several, since, until } = useListTexts()
  const { can, id: accountId } = useAccount()
  const params = { accountId }
  const campaigns = useExtra(
    "GET /accounts/:accountId/campaigns",
    { params, query: offered },
    { enabled: can("campaigns:read") }
  )
  const flows = useExtra(
    "GET /accounts/:accountId/flows",
    { params, query: offered },
    { enabled: can("flows:read") }
  )
  const templates = useExtra(
    "GET /accounts/:accountId/templates",
    { params, query: offered },
    { enabled: can("templates:read") }
  )
  const keys = useExtra("GET /accounts/:accountId/api-keys", { params }, { enabled: can("keys:read") })
  return (
    <MoreFilters
      {...props}
      text={texts.text}
      filters={[
        { key: "campaignId", label: texts.campaign, options: choices(campaigns?.items) },
        { key: "flowId", label: texts.flow, options: choices(flows?.items) },
        { key: "templateId", label: texts.template, options: choices(templates?.items) },
        ...(can("keys:read") ? [{ key: "keyId", label: texts.key, options: choices(keys) }] : []),
        { key: "to", label: texts.to, hint: several },
        { key: "domain", label: texts.domain, hint: several },
        { key: "from", label: texts.from, hint: several },
        { key: "provider", label: texts.provider, hint: texts.providerHint },
        { key: "reason", label: texts.reason, hint: texts.reasonHint },
        { key: "tag", label: texts.tag, hint: texts.tagHint },
        { key: "contactId", label: contact },
        { key: "since", label: since, isDay: true },
        { key: "until", label: until, isDay: true }
      ]}
    />
  )
}
