/**
 * The users of the installation.
 *
 * @module
 */
import { optionsOf } from "../../lib/options.ts"
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { call, type QueryOf } from "../../api/call.ts"
import { type ItemOf, useChange, useList } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useCompanies, useSession } from "../../app/session.ts"
import { Button, IconButton } from "../../parts/form/Button.tsx"
import { Field, Input, Select } from "../../parts/form/Field.tsx"
import { hasFilters, type Search } from "../../lib/search.ts"
import { FilterBar } from "../../parts/list/FilterBar.tsx"
import { type Column, List } from "../../parts/list/List.tsx"
import { ConfirmDialog, Dialog } from "../../parts/overlay/Dialog.tsx"
import { Menu, MenuItem } from "../../parts/overlay/Menu.tsx"
import { SecretDialog } from "../../parts/overlay/SecretDialog.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { useAction } from "../../parts/overlay/useAction.ts"
import { ErrorBanner } from "../../parts/page/Banner.tsx"
import { Row } from "../../parts/page/Columns.tsx"
import { EmptyState } from "../../parts/page/Empty.tsx"
import { Badge, type Tone } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { InstallationPage } from "./InstallationPage.tsx"

const route = getRouteApi("/shell/installation/users")

const listRoute = "GET /users"

type User = ItemOf<typeof listRoute>

const tones: Readonly<Record<string, Tone>> = { Active: "good", Invited: "accent", Disabled: "bad" }

const nameOf = ({ email, name }: Pick<User, "email" | "name">): string => name ?? email

const InviteDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const { common, installation: texts, members } = useTexts()
  const companies = useCompanies()
  const [email, setEmail] = useState("")
  const [companyId, setCompany] = useState(companies[0]?.id ?? "")
  const [role, setRole] = useState("Admin")
  const { data, error, isPending, mutate, reset } = useChange("POST /companies/:companyId/members", {
    renews: [listRoute]
  })
  if (data !== undefined && data.link !== null)
    return (
      <SecretDialog
        title={members.linkTitle}
        text={members.linkText(nameOf(data))}
        label={members.linkTitle}
        secret={data.link}
        note={members.linkOnce}
        onClose={() => {
          reset()
          onClose()
        }}
      />
    )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={() =>
        mutate(
          { params: { companyId }, body: { email: email.trim(), role, liveAccess: true } },
          {
            onSuccess: (added) => {
              if (added.link !== null) return
              toast(members.invited(nameOf(added)))
              onClose()
            }
          }
        )
      }
      title={members.invite}
      text={texts.inviteText}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {members.inviteAction}
          </Button>
        </>
      }
    >
      {error !== null && error.fields["email"] === undefined && <ErrorBanner error={error} />}
      <Field label={members.email} error={error?.fields["email"]}>
        <Input
          type="email"
          value={email}
          autoComplete="off"
          onChange={(event) => setEmail(event.target.value)}
        />
      </Field>
      <Field label={texts.company}>
        <Select
          value={companyId}
          onChange={(event) => setCompany(event.target.value)}
          options={companies.map(({ id, name }) => ({ value: id, label: name }))}
        />
      </Field>
      <Field label={members.role} hint={members.roleTexts[role]}>
        <Select
          value={role}
          onChange={(event) => setRole(event.target.value)}
          options={optionsOf(members.roles)}
        />
      </Field>
    </Dialog>
  )
}

/** The screen. */
export const Users = () => {
  const { installation: texts, members, people } = useTexts()
  const format = useFormat()
  const { user: own } = useSession()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const show = (next: Search) => void navigate({ search: next, replace: true })
  const list = useList(listRoute, { params: {}, query: search as unknown as QueryOf<typeof listRoute> })
  const [open, setOpen] = useState<User | "invite" | null>(null)
  const { isBusy, run } = useAction([listRoute])
  const setStatus = (user: User, status: "Active" | "Disabled") =>
    run(
      () => call("PATCH /users/:id", { params: { id: user.id }, body: { status } }),
      status === "Active" ? texts.enabled(nameOf(user)) : texts.disabled(nameOf(user)),
      undefined,
      (one: User) => (one.id === user.id ? { ...one, status } : one)
    )
  const signOut = (user: User) =>
    run(async () => {
      const { ended } = await call("POST /users/:id/sign-out", { params: { id: user.id } })
      toast(texts.signedOut(nameOf(user), ended))
    })
  const sendReset = (user: User) =>
    run(() => call("POST /password-resets", { body: { email: user.email } }), texts.resetSent(user.email))
  const columns: ReadonlyArray<Column<User>> = [
    {
      key: "person",
      head: members.person,
      width: "minmax(12rem, 2fr)",
      sort: "name",
      cell: (user) => (
        <Row>
          <bdi>{nameOf(user)}</bdi>
          {user.operator && <Badge tone="accent">{texts.operator}</Badge>}
          {user.id === own.id && <Badge>{members.you}</Badge>}
        </Row>
      )
    },
    {
      key: "email",
      head: members.email,
      width: "minmax(10rem, 1.6fr)",
      narrow: "second",
      cell: ({ email }) => email
    },
    {
      key: "factors",
      head: members.factors,
      width: "minmax(8rem, 1fr)",
      cell: ({ factors }) =>
        factors.map((factor) => texts.factorNames[factor] ?? factor).join(", ") || texts.noFactor
    },
    {
      key: "state",
      head: members.state,
      width: "6.5rem",
      narrow: "end",
      cell: ({ status }) => <Badge tone={tones[status] ?? "neutral"}>{members.states[status]}</Badge>
    },
    {
      key: "seen",
      head: members.seen,
      width: "minmax(6rem, 0.8fr)",
      cell: ({ lastSeenAt }) => <RelativeTime at={lastSeenAt} />
    },
    {
      key: "volume",
      head: texts.volume,
      width: "minmax(6rem, 0.8fr)",
      sort: "volume",
      cell: ({ volume }) => texts.sent(format.number(volume), volume)
    },
    {
      key: "actions",
      head: people.actions,
      isHeadHidden: true,
      width: "2.5rem",
      isEnd: true,
      cell: (user) => (
        <Menu
          align="end"
          trigger={<IconButton isSmall icon="more" label={`${people.actions}: ${nameOf(user)}`} />}
        >
          <MenuItem icon="signout" onSelect={() => void signOut(user)}>
            {texts.signOut}
          </MenuItem>
          <MenuItem icon="key" onSelect={() => void sendReset(user)}>
            {texts.resetPassword}
          </MenuItem>
          {user.id !== own.id &&
            (user.status === "Disabled" ? (
              <MenuItem icon="check" onSelect={() => void setStatus(user, "Active")}>
                {texts.enable}
              </MenuItem>
            ) : (
              <MenuItem icon="block" isDanger onSelect={() => setOpen(user)}>
                {texts.disable}
              </MenuItem>
            ))}
        </Menu>
      )
    }
  ]
  const add = (
    <Button tone="primary" icon="plus" onClick={() => setOpen("invite")}>
      {members.invite}
    </Button>
  )
  return (
    <InstallationPage
      actions={add}
      bar={
        <FilterBar
          search={search}
          onChange={show}
          placeholder={texts.searchUsers}
          filters={[{ key: "state", label: texts.state, options: optionsOf(members.states) }]}
        />
      }
    >
      <List
        label={texts.tabs.users}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        sort={search.sort}
        onSort={(sort) => show({ ...search, sort })}
        isFiltered={hasFilters(search)}
        onReset={() => show({})}
        empty={
          <EmptyState icon="people" title={members.empty}>
            {members.emptyText}
          </EmptyState>
        }
      />
      {open === "invite" && <InviteDialog onClose={() => setOpen(null)} />}
      {open !== null && open !== "invite" && (
        <ConfirmDialog
          isOpen
          title={texts.disableTitle(nameOf(open))}
          text={texts.disableText(nameOf(open))}
          action={texts.disable}
          isBusy={isBusy}
          onClose={() => setOpen(null)}
          onConfirm={() => {
            setOpen(null)
            void setStatus(open, "Disabled")
          }}
        />
      )}
    </InstallationPage>
  )
}
