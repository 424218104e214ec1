/**
 * The members of the company and their roles.
 *
 * @module
 */
import { useState } from "react"
import { call } from "../../api/call.ts"
import { type ItemOf, useChange, useList } from "../../api/queries.ts"
import { AreaTabs } from "../../app/AreaTabs.tsx"
import { newPanel, usePanel } from "../../app/panel.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount, useSession } from "../../app/session.ts"
import { Button, IconButton } from "../../parts/form/Button.tsx"
import { Checkbox, Field, Input, Select } from "../../parts/form/Field.tsx"
import { type Column, List } from "../../parts/list/List.tsx"
import { ConfirmDialog, Dialog } from "../../parts/overlay/Dialog.tsx"
import { Menu, MenuItem } from "../../parts/overlay/Menu.tsx"
import { SecretDialog } from "../../parts/overlay/SecretDialog.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { useAction } from "../../parts/overlay/useAction.ts"
import { ErrorBanner } from "../../parts/page/Banner.tsx"
import { Row } from "../../parts/page/Columns.tsx"
import { EmptyState } from "../../parts/page/Empty.tsx"
import { Page } from "../../parts/page/Page.tsx"
import { Badge, type Tone } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"

const listRoute = "GET /companies/:companyId/members"

type Member = ItemOf<typeof listRoute>

const tones: Readonly<Record<string, Tone>> = { Active: "good", Invited: "accent" }

const nameOf = ({ email, name }: { readonly email: string; readonly name: string | null }): string =>
  name ?? email

/** The fields for a role. Only an Owner can make others Owners. */
const RoleFields = ({
  access,
  onAccess,
  onRole,
  role
}: {
  readonly role: string
  readonly access: boolean
  readonly onRole: (role: string) => void
  readonly onAccess: (access: boolean) => void
}) => {
  const { members: texts } = useTexts()
  const { company } = useAccount()
  const { memberships, operator } = useSession()
  const own = memberships.find((one) => one.company.id === company.id)?.role
  return (
    <>
      <Field label={texts.role} hint={texts.roleTexts[role]}>
        <Select
          value={role}
          onChange={(event) => onRole(event.target.value)}
          options={Object.entries(texts.roles)
            .filter(([value]) => value !== "Owner" || own === "Owner" || operator)
            .map(([value, label]) => ({ value, label }))}
        />
      </Field>
      <Checkbox
        label={texts.accessLabel}
        hint={texts.accessHint}
        checked={access}
        onChange={(event) => onAccess(event.target.checked)}
      />
    </>
  )
}

const InviteDialog = ({
  companyId,
  onClose
}: {
  readonly companyId: string
  readonly onClose: () => void
}) => {
  const { common, members: texts } = useTexts()
  const [email, setEmail] = useState("")
  const [name, setName] = useState("")
  const [role, setRole] = useState("Viewer")
  const [access, setAccess] = useState(true)
  const { data, error, isPending, mutate, reset } = useChange("POST /companies/:companyId/members", {
    renews: [listRoute]
  })
  if (data !== undefined && data.link !== null)
    return (
      <SecretDialog
        title={texts.linkTitle}
        text={texts.linkText(nameOf(data))}
        label={texts.linkTitle}
        secret={data.link}
        note={texts.linkOnce}
        onClose={() => {
          reset()
          onClose()
        }}
      />
    )
  const invite = () =>
    mutate(
      {
        params: { companyId },
        body: { email: email.trim(), name: name.trim() === "" ? null : name.trim(), role, liveAccess: access }
      },
      {
        onSuccess: (added) => {
          if (added.link !== null) return
          toast(texts.invited(nameOf(added)))
          onClose()
        }
      }
    )
  const hasField = error !== null && ["email", "name"].some((key) => error.fields[key] !== undefined)
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={invite}
      title={texts.invite}
      text={texts.inviteText}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {texts.inviteAction}
          </Button>
        </>
      }
    >
      {error !== null && !hasField && <ErrorBanner error={error} />}
      <Field label={texts.email} error={error?.fields["email"]}>
        <Input
          type="email"
          value={email}
          autoComplete="off"
          onChange={(event) => setEmail(event.target.value)}
        />
      </Field>
      <Field label={texts.name} isOptional error={error?.fields["name"]}>
        <Input value={name} autoComplete="off" onChange={(event) => setName(event.target.value)} />
      </Field>
      <RoleFields role={role} access={access} onRole={setRole} onAccess={setAccess} />
    </Dialog>
  )
}

const ChangeDialog = ({
  companyId,
  member,
  onClose
}: {
  readonly companyId: string
  readonly member: Member
  readonly onClose: () => void
}) => {
  const { common, members: texts } = useTexts()
  const [role, setRole] = useState<string>(member.role)
  const [access, setAccess] = useState(member.liveAccess)
  const { error, isPending, mutate } = useChange("PATCH /companies/:companyId/members/:userId", {
    renews: [listRoute]
  })
  const save = () =>
    mutate(
      { params: { companyId, userId: member.userId }, body: { role, liveAccess: access } },
      {
        onSuccess: () => {
          toast(texts.changed(nameOf(member)))
          onClose()
        }
      }
    )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={save}
      title={texts.changeTitle(nameOf(member))}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {common.save}
          </Button>
        </>
      }
    >
      {error !== null && <ErrorBanner error={error} />}
      <RoleFields role={role} access={access} onRole={setRole} onAccess={setAccess} />
    </Dialog>
  )
}

/** The screen. */
export const Members = () => {
  const { members: texts, people, settings } = useTexts()
  const format = useFormat()
  const { canInCompany, company } = useAccount()
  const { memberships, operator, user } = useSession()
  const companyId = company.id
  const list = useList(listRoute, { params: { companyId } })
  const { isBusy, run } = useAction([listRoute])
  const [panel, show] = usePanel()
  const [open, setOpen] = useState<{ readonly kind: "change" | "remove"; readonly member: Member } | null>(
    null
  )
  const others = (list.total?.count ?? 1) - 1
  const own = memberships.find((one) => one.company.id === companyId)?.role
  const mayManage = (member: Member): boolean =>
    canInCompany("members:write") && (member.role !== "Owner" || own === "Owner" || operator)
  const remove = (member: Member) => {
    setOpen(null)
    void run(
      () =>
        call("DELETE /companies/:companyId/members/:userId", {
          params: { companyId, userId: member.userId }
        }),
      texts.removed(nameOf(member)),
      undefined,
      (one: Member) => (one.userId === member.userId ? null : one)
    )
  }
  const columns: ReadonlyArray<Column<Member>> = [
    {
      key: "person",
      head: texts.person,
      width: "minmax(12rem, 2fr)",
      cell: (member) => (
        <Row>
          <bdi>{nameOf(member)}</bdi>
          {member.userId === user.id && <Badge>{texts.you}</Badge>}
        </Row>
      )
    },
    {
      key: "email",
      head: texts.email,
      width: "minmax(10rem, 1.6fr)",
      narrow: "second",
      cell: ({ email }) => email
    },
    {
      key: "role",
      head: texts.role,
      width: "7rem",
      narrow: "end",
      cell: ({ role }) => <span title={texts.roleTexts[role]}>{texts.roles[role]}</span>
    },
    {
      key: "access",
      head: texts.access,
      width: "8rem",
      cell: ({ liveAccess }) => (liveAccess ? texts.accessOn : texts.accessOff)
    },
    {
      key: "state",
      head: texts.state,
      width: "6rem",
      cell: ({ status }) => <Badge tone={tones[status] ?? "neutral"}>{texts.states[status]}</Badge>
    },
    {
      key: "seen",
      head: texts.seen,
      width: "minmax(6rem, 0.8fr)",
      cell: ({ lastSeenAt }) => <RelativeTime at={lastSeenAt} />
    },
    ...(canInCompany("members:write")
      ? [
          {
            key: "actions",
            head: people.actions,
            isHeadHidden: true,
            width: "2.5rem",
            isEnd: true,
            cell: (member: Member) =>
              mayManage(member) && (
                <Menu align="end" trigger={<IconButton isSmall icon="more" label={people.actions} />}>
                  <MenuItem onSelect={() => setOpen({ kind: "change", member })}>{texts.change}</MenuItem>
                  <MenuItem onSelect={() => setOpen({ kind: "remove", member })}>{texts.remove}</MenuItem>
                </Menu>
              )
          }
        ]
      : [])
  ]
  const mayInvite = canInCompany("members:write")
  const add = mayInvite && (
    <Button tone="primary" icon="plus" onClick={() => show(newPanel)}>
      {texts.invite}
    </Button>
  )
  return (
    <Page isList title={settings.title} actions={add}>
      <AreaTabs area="settings" />
      <List
        label={settings.tabs.members}
        list={list}
        columns={columns}
        keyOf={({ userId }) => userId}
        empty={
          <EmptyState icon="people" title={texts.empty}>
            {texts.emptyText}
          </EmptyState>
        }
      />
      {panel === newPanel && mayInvite && <InviteDialog companyId={companyId} onClose={() => show(null)} />}
      {open !== null && open.kind === "change" && (
        <ChangeDialog companyId={companyId} member={open.member} onClose={() => setOpen(null)} />
      )}
      {open !== null && open.kind === "remove" && (
        <ConfirmDialog
          isOpen
          title={texts.removeTitle(nameOf(open.member))}
          text={texts.removeText(nameOf(open.member), format.number(others), others)}
          action={texts.remove}
          isBusy={isBusy}
          onClose={() => setOpen(null)}
          onConfirm={() => remove(open.member)}
        />
      )}
    </Page>
  )
}
