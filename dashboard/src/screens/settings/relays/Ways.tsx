/**
 * The routes for the account's email: relays and direct delivery, in order of preference, for each stream.
 *
 * @module
 */
import type { ValueOf } from "../../../api/call.ts"
import { useApi, useChange } from "../../../api/queries.ts"
import { useAccount } from "../../../app/session.ts"
import { IconButton } from "../../../parts/form/Button.tsx"
import { Field, Fields, Select } from "../../../parts/form/Field.tsx"
import { toast } from "../../../parts/overlay/toasts.ts"
import { ErrorBanner } from "../../../parts/page/Banner.tsx"
import { Entry, Nothing, Rows } from "../../../parts/page/Columns.tsx"
import { Loaded } from "../../../parts/page/Loaded.tsx"
import { Card, Section } from "../../../parts/page/Page.tsx"
import { useRelayTexts } from "../../../texts/relays/useRelayTexts.ts"
import type { Relay } from "./RelayDialog.tsx"

const readRoute = "GET /accounts/:accountId"
const sharedRoute = "GET /companies/:companyId/shared-relays"

type Delivery = NonNullable<ValueOf<typeof readRoute>["settings"]["delivery"]>

/** The most routes of a stream. */
const maxWays = 5

const streams = ["transactional", "marketing"] as const
const directly = "Direct"
const isFor = { transactional: "Transactional", marketing: "Marketing" } as const

/** The section of the screen. Each change is saved at once. */
export const Ways = ({
  accountId,
  companyId,
  relays
}: {
  readonly accountId: string
  readonly companyId: string
  readonly relays: ReadonlyArray<Relay>
}) => {
  const { ways: texts } = useRelayTexts()
  const { can, mode } = useAccount()
  const query = useApi(readRoute, { params: { accountId } }, { enabled: mode === "live" })
  const shared = useApi(sharedRoute, { params: { companyId } }, { enabled: mode === "live" })
  const offered = shared.data?.items ?? []
  const { error, isPending, mutate } = useChange("PATCH /accounts/:accountId/settings", {
    renews: [readRoute]
  })
  const mayWrite = can("settings:write")
  const nameOf = (way: string): string => {
    if (way === directly) return texts.direct
    const id = way.replace("relay:", "")
    const own = relays.find((relay) => relay.id === id)
    return own?.name ?? texts.shared(offered.find((relay) => relay.id === id)?.name ?? id)
  }
  const save = (delivery: Delivery) => {
    const isDefault = delivery.transactional === null && delivery.marketing === null
    mutate(
      { params: { accountId }, body: { delivery: isDefault ? null : delivery } },
      { onSuccess: () => toast(texts.saved) }
    )
  }
  if (mode === "sandbox") return <Section title={texts.title} text={texts.sandbox} />
  return (
    <Section title={texts.title} text={texts.text}>
      {error !== null && <ErrorBanner error={error} />}
      <Loaded query={query}>
        {({ settings }) => {
          const delivery = settings.delivery ?? { transactional: null, marketing: null }
          return streams.map((stream) => {
            const chosen = delivery[stream] ?? []
            const set = (next: ReadonlyArray<string>) =>
              save({ ...delivery, [stream]: next.length === 0 ? null : next })
            const left = [
              directly,
              ...[...relays, ...offered]
                .filter((relay) => relay.streams.includes(isFor[stream]))
                .map(({ id }) => `relay:${id}`)
            ].filter((way) => !chosen.includes(way))
            return (
              <Section key={stream} title={texts[stream]}>
                <Card isFlush>
                  {chosen.length === 0 && <Nothing>{texts.none}</Nothing>}
                  <Rows>
                    {chosen.map((way, at) => (
                      <Entry
                        key={way}
                        end={
                          mayWrite && (
                            <IconButton
                              isSmall
                              icon="close"
                              label={texts.removeOne(nameOf(way))}
                              onClick={() => set(chosen.filter((one) => one !== way))}
                            />
                          )
                        }
                      >
                        {at + 1}. <bdi>{nameOf(way)}</bdi>
                      </Entry>
                    ))}
                  </Rows>
                </Card>
                {mayWrite && left.length > 0 && chosen.length < maxWays && (
                  <Fields>
                    <Field label={texts.addLabel}>
                      <Select
                        value=""
                        disabled={isPending}
                        onChange={(event) => {
                          if (event.target.value !== "") set([...chosen, event.target.value])
                        }}
                        options={[
                          { value: "", label: texts.choose },
                          ...left.map((value) => ({ value, label: nameOf(value) }))
                        ]}
                      />
                    </Field>
                  </Fields>
                )}
              </Section>
            )
          })
        }}
      </Loaded>
    </Section>
  )
}
