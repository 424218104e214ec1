/**
 * The standing of the live accounts, for operators, who can lift a hold if they give a reason.
 *
 * @module
 */
import { useState } from "react"
import { type ItemOf, useChange, useExtra, useList } from "../../../api/queries.ts"
import { useTexts } from "../../../app/reader.tsx"
import { Button } from "../../../parts/form/Button.tsx"
import { Field, Input } from "../../../parts/form/Field.tsx"
import { type Column, List } from "../../../parts/list/List.tsx"
import { Dialog } from "../../../parts/overlay/Dialog.tsx"
import { toast } from "../../../parts/overlay/toasts.ts"
import { ErrorBanner } from "../../../parts/page/Banner.tsx"
import { EmptyState, Skeleton } from "../../../parts/page/Empty.tsx"
import { Badge } from "../../../parts/show/Badge.tsx"
import { useDeliveryTexts } from "../../../texts/delivery/useDeliveryTexts.ts"
import { standingTones, useReasons } from "../../domains/StandingState.tsx"
import { InstallationPage } from "../InstallationPage.tsx"

const listRoute = "GET /companies"
const standingRoute = "GET /accounts/:accountId/standing"

type Company = ItemOf<typeof listRoute>

/** The standing of a company's live account. Read only for visible rows. */
const useStanding = ({ live: { accountId } }: Company) => useExtra(standingRoute, { params: { accountId } })

const State = ({ company }: { readonly company: Company }) => {
  const { standing: texts } = useDeliveryTexts()
  const standing = useStanding(company)
  if (standing === undefined) return <Skeleton width="40%" />
  return <Badge tone={standingTones[standing.state]}>{texts.states[standing.state]}</Badge>
}

const Reasons = ({ company }: { readonly company: Company }) => {
  const reasonsOf = useReasons()
  const standing = useStanding(company)
  const text = standing === undefined ? "" : reasonsOf(standing).join("; ")
  return <span title={text}>{text === "" ? "–" : text}</span>
}

const LiftButton = ({ company, onLift }: { readonly company: Company; readonly onLift: () => void }) => {
  const { held: texts } = useDeliveryTexts()
  if (useStanding(company)?.state !== "Held") return null
  return (
    <Button isSmall onClick={onLift}>
      {texts.lift}
    </Button>
  )
}

const LiftDialog = ({
  company: { live, name },
  onClose
}: {
  readonly company: Company
  readonly onClose: () => void
}) => {
  const { common } = useTexts()
  const { held: texts } = useDeliveryTexts()
  const [reason, setReason] = useState("")
  const { error, isPending, mutate } = useChange("POST /accounts/:accountId/standing/lift", {
    renews: [standingRoute]
  })
  const lift = () =>
    mutate(
      { params: { accountId: live.accountId }, body: { reason: reason.trim() } },
      {
        onSuccess: () => {
          toast(texts.lifted(name))
          onClose()
        }
      }
    )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={lift}
      title={texts.lift}
      text={texts.liftText}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {texts.lift}
          </Button>
        </>
      }
    >
      {error !== null && error.fields["reason"] === undefined && <ErrorBanner error={error} />}
      <Field label={texts.reason} hint={texts.reasonHint} error={error?.fields["reason"]}>
        <Input value={reason} autoComplete="off" onChange={(event) => setReason(event.target.value)} />
      </Field>
    </Dialog>
  )
}

/** The screen. */
export const Standings = () => {
  const { people } = useTexts()
  const { held: texts } = useDeliveryTexts()
  const list = useList(listRoute, { params: {} })
  const [lifting, setLifting] = useState<Company | null>(null)
  const columns: ReadonlyArray<Column<Company>> = [
    {
      key: "company",
      head: texts.company,
      width: "minmax(10rem, 1.2fr)",
      cell: ({ name }) => <bdi>{name}</bdi>
    },
    {
      key: "why",
      head: texts.why,
      width: "minmax(12rem, 2.4fr)",
      narrow: "second",
      cell: (company) => <Reasons company={company} />
    },
    {
      key: "standing",
      head: texts.standing,
      width: "11rem",
      narrow: "end",
      cell: (company) => <State company={company} />
    },
    {
      key: "actions",
      head: people.actions,
      isHeadHidden: true,
      width: "9rem",
      isEnd: true,
      cell: (company) => <LiftButton company={company} onLift={() => setLifting(company)} />
    }
  ]
  return (
    <InstallationPage>
      <List
        label={texts.accounts}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<EmptyState icon="chart" title={texts.accounts} />}
      />
      {lifting !== null && <LiftDialog company={lifting} onClose={() => setLifting(null)} />}
    </InstallationPage>
  )
}
