/**
 * The IP addresses from which the account's mail is sent, by pool, and the mail that waits for the warm-up of an address.
 *
 * @module
 */
import { useState } from "react"
import { useApi, useChange, useExtra } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { Button, ButtonLink } from "../../parts/form/Button.tsx"
import { Field, Select } from "../../parts/form/Field.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { Banner, ErrorBanner } from "../../parts/page/Banner.tsx"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { Card, Facts, Section } from "../../parts/page/Page.tsx"
import { useSourceTexts } from "../../texts/sources/useSourceTexts.ts"

const accountRoute = "GET /accounts/:accountId"

const streams = ["transactional", "marketing"] as const

type Chosen = Readonly<Record<(typeof streams)[number], string>>

const ChangeDialog = ({
  accountId,
  onClose,
  pools
}: {
  readonly accountId: string
  readonly pools: Chosen
  readonly onClose: () => void
}) => {
  const { common } = useTexts()
  const { used: texts } = useSourceTexts()
  const [chosen, setChosen] = useState(pools)
  const known = useExtra("GET /pools", { query: { limit: 200 } })?.items ?? []
  const { error, isPending, mutate } = useChange("PATCH /accounts/:accountId/settings", {
    renews: [accountRoute]
  })
  const save = () =>
    mutate(
      { params: { accountId }, body: { pools: chosen } },
      {
        onSuccess: () => {
          toast(texts.saved)
          onClose()
        }
      }
    )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={save}
      title={texts.change}
      text={texts.changeText}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {texts.save}
          </Button>
        </>
      }
    >
      {error !== null && <ErrorBanner error={error} />}
      {streams.map((stream) => (
        <Field key={stream} label={texts.streams[stream]}>
          <Select
            value={chosen[stream]}
            onChange={(event) => setChosen({ ...chosen, [stream]: event.target.value })}
            options={[...new Set([pools[stream], ...known.map(({ key }) => key)])].map((key) => ({
              value: key,
              label: known.find((pool) => pool.key === key)?.name ?? key
            }))}
          />
        </Field>
      ))}
    </Dialog>
  )
}

/** The mail that waits for the warm-up of an address. */
const Warming = ({ accountId }: { readonly accountId: string }) => {
  const { used: texts } = useSourceTexts()
  const format = useFormat()
  const reason = "sending.warming_up"
  const waiting = useExtra("GET /accounts/:accountId/emails", {
    params: { accountId },
    query: { reason: [reason], limit: 1, count: "exact" }
  })
  if (waiting === undefined) return null
  const { totalCount } = waiting
  if (totalCount === 0) return <p>{texts.noWarming}</p>
  return (
    <Banner
      tone="warning"
      action={
        <ButtonLink isSmall to="/a/$accountId/emails" params={{ accountId }} search={{ reason }}>
          {texts.look}
        </ButtonLink>
      }
    >
      {texts.warming(format.number(totalCount), totalCount)}
    </Banner>
  )
}

/** The section. */
export const UsedPools = ({ accountId }: { readonly accountId: string }) => {
  const { used: texts } = useSourceTexts()
  const { can } = useAccount()
  const [isChanging, setChanging] = useState(false)
  const query = useApi(accountRoute, { params: { accountId } })
  return (
    <Section
      title={texts.title}
      text={texts.text}
      actions={
        can("settings:write") &&
        can("companies:write") && (
          <Button isSmall onClick={() => setChanging(true)}>
            {texts.change}
          </Button>
        )
      }
    >
      <Loaded query={query}>
        {({ settings: { pools } }) => (
          <Card>
            <Facts
              facts={streams.map((stream) => [texts.streams[stream] ?? stream, pools[stream]] as const)}
            />
            {can("emails:read") && <Warming accountId={accountId} />}
            {isChanging && (
              <ChangeDialog accountId={accountId} pools={pools} onClose={() => setChanging(false)} />
            )}
          </Card>
        )}
      </Loaded>
    </Section>
  )
}
