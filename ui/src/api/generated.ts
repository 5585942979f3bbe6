// Made by `python -m tests.ui.api_types` of GET /admin/x/openapi.json: change the server instead.

/** An entry of any content type; its type says what its attributes are. */
export type ManagedEntry = Record<string, unknown> & { documentId: string; id: number };

export type AccessToken = { "token": string };

export type ActionPermission = { "enabled"?: boolean; "policy"?: string; "rule"?: Record<string, unknown> | null };

export type AdminApiToken = { "id": number; "kind"?: string; "name": string; "description"?: string | null; "type": "custom" | "full-access" | "read-only"; "accessKey"?: string; "permissions"?: (string)[] | null; "lifespan"?: number | string | null; "expiresAt"?: string | null; "lastUsedAt"?: string | null; "createdAt"?: string | null; "updatedAt"?: string | null };

export type AdminLocale = { "id": number; "documentId"?: string; "name"?: string | null; "code": string | null; "isDefault": boolean; "createdAt"?: string | null; "updatedAt"?: string | null; "publishedAt"?: string | null };

export type AdminPagination = { "page": number; "pageSize": number; "pageCount": number; "total": number };

export type AdminPermission = { "id"?: number | null; "action": string; "actionParameters"?: unknown; "subject": string | null; "properties": Record<string, unknown>; "conditions": (string)[] };

export type AdminRole = { "id": number; "documentId"?: string; "name": string; "code": string; "description": string | null; "createdAt"?: string | null; "updatedAt"?: string | null; "publishedAt"?: string | null; "locale"?: string | null; "usersCount"?: number };

export type AdminRoleChange = { "name"?: string; "description"?: string | null };

export type AdminRoleSummary = { "id": number; "name": string; "description": string | null; "code": string };

export type AdminSession = { "id": number | string | null; "deviceId": string | null; "deviceName"?: string; "current": boolean; "loginAt"?: string; "lastActiveAt"?: string };

export type Administrator = { "id": number; "documentId"?: string; "firstname"?: string | null; "lastname"?: string | null; "username"?: string | null; "email": string | null; "isActive"?: boolean | null; "blocked"?: boolean | null; "preferedLanguage"?: string | null; "createdAt"?: string | null; "updatedAt"?: string | null; "publishedAt"?: string | null; "locale"?: string | null; "roles"?: (AdminRoleSummary)[] };

export type AdministratorChange = { "email"?: string; "firstname"?: string; "lastname"?: string | null; "username"?: string | null; "password"?: string; "isActive"?: boolean; "roles"?: (number | string)[] };

export type ApiTokenChange = { "name"?: string; "description"?: string | null; "type"?: "custom" | "full-access" | "read-only"; "permissions"?: (string)[] | null };

export type ApiTokenKey = { "id": number; "kind": string; "accessKey": string };

export type ArchivedChange = { "id": number; "title": string; "madeAt": string; "tables": (string)[] };

export type Assignee = { "id": number; "name": string };

export type AuditRow = { "id": number; "at": string; "actorId": number | null; "actor": string; "action": string; "target": string; "details": Record<string, unknown> | null; "status": number; "place": string };

export type BulkEditInput = { "documentIds": (string)[]; "data": Record<string, unknown>; "preview"?: boolean };

export type BulkEditResult = { "preview": boolean; "count": number; "changes": (ChangedDocument)[] };

export type CategoryName = { "name": string };

export type ChangedDocument = { "documentId": string; "fields": Record<string, unknown> };

export type CheckedPermission = { "action": string; "subject"?: string | null; "field"?: string };

export type ComponentFields = { "category": string; "displayName": string; "icon"?: string | null; "description"?: string | null; "attributes": Record<string, unknown> };

export type ComponentRequest = { "component": ComponentFields; "components"?: (Record<string, unknown>)[] };

export type ComputedError = { "message"?: string; "code"?: ProjectFunction };

export type ContentTypeFields = { "displayName": string; "singularName": string; "pluralName": string; "kind"?: "collectionType" | "singleType"; "draftAndPublish"?: boolean; "collectionName"?: string; "description"?: string | null; "options"?: Record<string, unknown>; "pluginOptions"?: Record<string, unknown>; "attributes": Record<string, unknown> };

export type ContentTypeRequest = { "contentType": ContentTypeFields; "components"?: (Record<string, unknown>)[] };

export type CountedType = { "uid": string; "displayName": string; "kind": string; "count": number };

export type CreatorSummary = { "id": number; "firstname"?: string | null; "lastname"?: string | null; "username"?: string | null; "email"?: string | null; "isActive"?: boolean | null };

export type Credentials = { "email": string; "password": string; "code"?: string; "deviceId"?: string; "rememberMe"?: boolean };

export type CropInput = { "left": number; "top": number; "width": number; "height": number; "copy"?: boolean };

export type CurrentPassword = { "password": string };

export type DeletedWebhooks = { "ids": (number | string)[] };

export type Delivery = { "id": number; "webhookId": number; "event": string; "uid"?: string; "documentId"?: string; "state": "delivered" | "failed" | "waiting"; "attempts": number; "createdAt": string; "nextAt"?: string | null; "endedAt"?: string | null; "statusCode"?: number | null; "message"?: string | null; "payload"?: Record<string, unknown> };

export type Difference = { "documentId": string; "locale": string | null; "fields": Record<string, unknown> };

export type DocumentCounts = { "draft": number; "published": number; "modified": number };

export type DocumentIds = { "documentIds": (string)[] };

export type EntryDetail = { "entry": ManagedEntry | NoEntry; "meta": EntryMeta; "published": ManagedEntry | null; "references": number };

export type EntryListMeta = { "pagination": AdminPagination };

export type EntryMeta = { "availableLocales": (Record<string, unknown>)[]; "availableStatus": (Record<string, unknown>)[]; "computed"?: Record<string, unknown>; "computedErrors"?: Record<string, unknown> };

export type EntryPage = { "results": (ManagedEntry)[]; "pagination": AdminPagination; "computedErrors"?: Record<string, unknown>; "failedRules"?: (FailedReadRule)[] };

export type EntryProblem = { "path": (string)[]; "message": string };

export type EntryResponse = { "data"?: ManagedEntry | NoEntry; "meta"?: EntryMeta };

export type EntryReview = { "workflow": ReviewWorkflow; "stage": number; "assignee": Assignee | null; "mayMove": boolean };

export type EntryReviewChange = { "stage"?: number | string; "assignee"?: number | string | null };

export type EntrySchedule = { "publishAt": string | null; "unpublishAt": string | null; "timezone": string | null; "failed": (FailedAction)[] };

export type EntryTimes = { "publishAt"?: string | null; "unpublishAt"?: string | null; "timezone"?: string | null };

export type ExplainedPermission = { "id": number; "role": Record<string, unknown>; "misses": (string)[] };

export type Explanation = { "allowed": boolean; "because": "granted" | "inactive" | "narrower" | "no-permission" | "super-admin"; "permissions": (ExplainedPermission)[] };

export type ExportOptions = { "format"?: "csv" | "json"; "documentIds"?: (string)[] };

export type FactorCode = { "code": string };

export type FactorRemoval = { "password": string; "code": string };

export type FailedAction = { "action": "publish" | "unpublish"; "at": string; "message": string };

export type FailedReadRule = { "uid": string; "displayName": string; "code": ProjectFunction };

export type FailingWebhook = { "id": string; "name": string; "count": number };

export type FileDeletion = { "fileIds"?: (number)[]; "folderIds"?: (number)[] };

export type FileDescription = { "fileInfo"?: Record<string, unknown> };

export type FileMove = { "fileIds"?: (number)[]; "folderIds"?: (number)[]; "destinationFolderId"?: number | string | null };

export type FileUpdate = { "id": number; "fileInfo": Record<string, unknown> };

export type FileUpdates = { "updates": (FileUpdate)[] };

export type FileUsage = { "data": (Record<string, unknown>)[]; "meta": HiddenUsage };

export type FirstAdministrator = { "email": string; "firstname": string; "lastname"?: string | null; "password": string; "registrationToken"?: string; "deviceId"?: string; "rememberMe"?: boolean };

export type FolderChange = { "name"?: string; "parent"?: number | string | null };

export type ForgottenPassword = { "email": string };

export type FoundEntries = { "results": (ManagedEntry)[] };

export type GrantedControllers = { "controllers"?: Record<string, unknown> | null };

export type HiddenUsage = { "hidden": number };

export type HomepageLayout = { "version": number; "widgets": (HomepageWidget)[]; "updatedAt": string };

export type HomepageLayoutInput = { "version"?: number; "widgets": (HomepageWidget)[]; "updatedAt"?: string };

export type HomepageWidget = { "uid": string; "width": number };

export type ImportedFile = { "url": string; "fileInfo"?: Record<string, unknown> };

export type ImportedFiles = { "urls": (string)[]; "folderId"?: number | null };

export type InnerRequest = { "path": string };

export type InnerResponse = { "status": number; "body": string; "role": number | null; "code"?: ProjectFunction; "reason"?: string };

export type Invitation = { "email": string; "firstname": string; "lastname"?: string; "roles"?: (number | string)[]; "preferedLanguage"?: string | null };

export type InvitationRecipient = { "email": string | null; "firstname": string | null; "lastname": string | null };

export type InvitationState = { "pending": boolean };

export type InvitedAdministrator = { "id": number; "documentId"?: string; "firstname"?: string | null; "lastname"?: string | null; "username"?: string | null; "email": string | null; "isActive"?: boolean | null; "blocked"?: boolean | null; "preferedLanguage"?: string | null; "createdAt"?: string | null; "updatedAt"?: string | null; "publishedAt"?: string | null; "locale"?: string | null; "roles"?: (AdminRoleSummary)[]; "registrationToken": string };

export type ItemChange = { "action": "publish" | "unpublish" };

export type Job = { "id": number; "name": string; "queue": string; "state": "cancelled" | "done" | "failed" | "running" | "waiting"; "attempts": number; "createdAt": string; "startedAt"?: string | null; "dueAt"?: string | null; "leaseEndsAt"?: string | null; "endedAt"?: string | null; "message"?: string | null; "arguments"?: Record<string, unknown>; "causes"?: (Record<string, unknown>)[] };

export type JobCounts = { "waiting": number; "running": number; "done": number; "failed": number; "cancelled": number };

export type JobList = { "jobs": (Job)[]; "counts": JobCounts; "names": Record<string, unknown> };

export type KeyStatistics = { "assets": number; "contentTypes": number; "components": number; "locales": number; "admins": number; "webhooks": number; "apiTokens": number };

export type KnownLocale = { "code": string; "name": string };

export type LibraryOptions = { "sizeOptimization": boolean; "responsiveDimensions": boolean; "autoOrientation"?: boolean; "aiMetadata"?: boolean };

export type LibraryView = { "pageSize": number; "sort"?: string };

export type LinkedEntries = { "results"?: (RelatedEntry)[] };

export type LocaleChange = { "name"?: string | null; "isDefault"?: boolean };

export type LocaleCount = { "locale": string; "documents": number; "published": number };

export type LocaleCoverage = { "uid": string; "displayName": string; "kind": string; "documents": number; "locales": (LocaleCount)[] };

export type LocaleSettings = { "aiLocalizations"?: boolean };

export type MailConfiguration = { "config": MailProvider; "supportsVerify": boolean };

export type MailProvider = { "provider": string; "settings": MailSenderSettings };

export type MailSenderSettings = { "defaultFrom": string };

export type MailTemplates = { "email-templates": Record<string, unknown> };

export type MailTest = { "template": Record<string, unknown> };

export type MailTestResult = { "to": string };

export type MediaFile = { "id": number; "documentId"?: string; "name": string; "alternativeText"?: string | null; "caption"?: string | null; "url": string; "mime": string; "size"?: number; "width"?: number | null; "height"?: number | null; "formats"?: Record<string, unknown> | null };

export type MediaFileUsage = { "id": number; "entries": (Record<string, unknown>)[]; "hidden": number };

export type MediaFolder = { "id": number; "documentId"?: string; "name": string; "pathId"?: number; "path"?: string };

export type MediaUsage = { "data": (MediaFileUsage)[] };

export type MissingReference = { "field": string; "documentId": string };

export type ModelPlan = { "digest": string; "version": string; "steps": (PlanStep)[]; "losses": (string)[]; "notices": (PlanNotice)[]; "files": (PlannedFile)[] };

export type ModelState = { "writable": boolean; "reason": string | null };

export type ModelUid = { "uid": string };

export type NamedRelease = { "id": number; "name": string };

export type NewAdminApiToken = { "name": string; "description"?: string | null; "type"?: "custom" | "full-access" | "read-only"; "permissions"?: (string)[] | null; "lifespan"?: number | null };

export type NewAdminRole = { "name": string; "description"?: string | null };

export type NewAdminUser = { "firstname": string; "lastname"?: string | null; "password": string };

export type NewFolder = { "name": string; "parent"?: number | string | null };

export type NewLocale = { "name"?: string | null; "code": string; "isDefault": boolean };

export type NewReleaseItem = { "contentType": string; "documentId": string; "locale"?: string | null };

export type NewReleaseItems = { "entries": (NewReleaseItem)[]; "action"?: "publish" | "unpublish" };

export type NewSecondFactor = { "secret": string; "uri": string };

export type NewView = { "uid": string; "name": string; "shared"?: boolean; "state": Record<string, unknown> };

export type NewWebhook = { "name": string; "url": string; "headers": Record<string, unknown>; "events": (string)[] };

export type NoEntry = Record<string, unknown>;

export type OutboxChange = { "id": number; "function": string; "action": string; "uid": string; "documentId": string; "locale"?: string | null; "state": "failed" | "waiting"; "attempts": number; "createdAt": string; "dueAt"?: string | null; "endedAt"?: string | null; "message"?: string | null; "fields"?: (string)[]; "kept"?: Record<string, unknown>; "causes"?: (Record<string, unknown>)[] };

export type Overview = { "edited": (RecentEntry)[]; "published": (RecentEntry)[]; "documents": DocumentCounts; "types": (CountedType)[]; "failingWebhooks": (FailingWebhook)[] | null; "failedRules"?: (FailedReadRule)[] };

export type PasswordReset = { "resetPasswordToken": string; "password": string; "code"?: string };

export type PermissionCatalogue = { "conditions": (Record<string, unknown>)[]; "sections": Record<string, unknown> };

export type PermissionCheck = { "permissions": (CheckedPermission)[] };

export type PermissionPayload = { "action": string; "actionParameters"?: Record<string, unknown> | null; "subject"?: string | null; "properties"?: Record<string, unknown>; "conditions"?: (string)[] };

export type PlanNotice = { "text": string; "uid": string; "attribute": string; "rows": number; "rule": string };

export type PlanStep = { "step": string; "text": string; "rowsLost": number; "details": Record<string, unknown> };

export type PlannedFile = { "path": string; "before": string | null; "after": string | null };

export type PreviewUrls = { "previews": Record<string, unknown> };

export type Previews = { "previews": Record<string, unknown>; "frameSources": (string)[] };

export type ProfileChange = { "email"?: string; "firstname"?: string; "lastname"?: string | null; "username"?: string | null; "password"?: string; "currentPassword"?: string; "preferedLanguage"?: string | null };

export type ProjectEdition = { "isEE": boolean; "features": (string)[] };

export type ProjectFacts = { "currentEnvironment": string; "autoReload": boolean; "strapiVersion": string; "dependencies": Record<string, unknown>; "projectId": null; "nodeVersion": null; "communityEdition": boolean; "useYarn": boolean; "docsUrl": string | null; "quireVersion": string; "pythonVersion": string; "database": string };

export type ProjectFunction = { "function"?: string; "place"?: string };

export type ProjectLogos = { "menuLogo": Record<string, unknown> | null; "authLogo": Record<string, unknown> | null };

export type ProjectState = { "uuid": boolean; "hasAdmin": boolean; "menuLogo": string | null; "authLogo": string | null };

export type Providers = { "providers": Record<string, unknown> };

export type PublishCheck = { "documentId": string; "locale": string | null; "problems": (EntryProblem)[] };

export type ReceivedHeader = { "name": string; "value": string };

export type RecentEntry = { "documentId": string; "locale"?: string | null; "title"?: unknown; "contentTypeUid": string; "contentTypeDisplayName"?: string; "kind"?: string; "updatedAt"?: string | null; "publishedAt"?: string | null; "status"?: "draft" | "modified" | "published" };

export type RecoveryCodes = { "recoveryCodes": (string)[] };

export type References = { "uid": string; "attribute": string; "count": number; "entries": (Record<string, unknown>)[] };

export type Registration = { "registrationToken": string; "userInfo": NewAdminUser; "deviceId"?: string; "rememberMe"?: boolean };

export type RelatedEntry = { "id": number; "documentId": string; "locale"?: string | null; "status"?: string };

export type Release = { "id": number; "name": string; "status": "blocked" | "done" | "empty" | "failed" | "ready"; "scheduledAt": string | null; "timezone": string | null; "releasedAt": string | null; "createdAt": string; "updatedAt": string; "itemCount": number };

export type ReleaseCheck = { "id": number; "problems": (ReleaseProblem)[] };

export type ReleaseDetail = { "id": number; "name": string; "status": "blocked" | "done" | "empty" | "failed" | "ready"; "scheduledAt": string | null; "timezone": string | null; "releasedAt": string | null; "createdAt": string; "updatedAt": string; "itemCount": number; "items": (ReleaseItem)[] };

export type ReleaseItem = { "id": number; "action": "publish" | "unpublish"; "contentType": string; "exists": boolean; "readable": boolean; "publishable": boolean; "documentId"?: string; "locale"?: string | null; "title"?: unknown; "status"?: "draft" | "modified" | "published"; "updatedAt"?: string | null };

export type ReleaseName = { "name": string };

export type ReleaseOfEntry = { "id": number; "name": string; "itemId": number; "action": "publish" | "unpublish" };

export type ReleaseProblem = { "itemId": number; "message": string; "path": (string)[] };

export type ReleaseSchedule = { "id": number; "scheduledAt": string | null; "timezone": string | null };

export type ReleaseTime = { "scheduledAt"?: string | null; "timezone"?: string | null };

export type ReleaseUndoResult = { "id": number; "name": string; "status": "blocked" | "done" | "empty" | "failed" | "ready"; "scheduledAt": string | null; "timezone": string | null; "releasedAt": string | null; "createdAt": string; "updatedAt": string; "itemCount": number; "items": (ReleaseItem)[]; "skipped": number };

export type ReservedNames = { "models": (string)[]; "attributes": (string)[] };

export type RestoredEntry = { "data": ManagedEntry | NoEntry; "meta": EntryMeta; "missing": (MissingReference)[] };

export type ReviewStage = { "id": number; "name": string; "color": string; "roles": (number)[]; "requiredToPublish": boolean };

export type ReviewWorkflow = { "id": number; "name": string; "contentTypes": (string)[]; "stages": (ReviewStage)[] };

export type ReviewWorkflowInput = { "name": string; "contentTypes": (string)[]; "stages": (StageInput)[] };

export type Revision = { "id": number; "createdAt": string; "createdBy": CreatorSummary | null; "status": "draft" | "published"; "locale": string | null };

export type RevisionDetail = { "id": number; "createdAt": string; "createdBy": CreatorSummary | null; "status": "draft" | "published"; "locale": string | null; "data": Record<string, unknown>; "fields": Record<string, unknown> };

export type RoleInput = { "name"?: string | null; "description"?: string | null; "type"?: string | null; "permissions"?: Record<string, unknown> | null };

export type RolePermissions = { "permissions": (PermissionPayload)[] };

export type RowCount = { "count": number };

export type RowIds = { "ids": (number | string)[] };

export type SampleOptions = { "count"?: number; "publish"?: boolean };

export type Samples = { "count": number; "documentIds": (string)[] };

export type SavedView = { "id": number; "uid": string; "name": string; "shared": boolean; "own": boolean; "state": Record<string, unknown>; "updatedAt": string };

export type Schedule = { "name": string; "cron": string; "timezone": string; "missed": "all" | "once" | "skip"; "place": string; "nextDueAt"?: string | null; "lastDueAt"?: string | null; "lastJob"?: Job | null };

export type ScheduledAction = { "at": string; "timezone": string | null; "entry": ReleaseItem | null; "release": NamedRelease | null };

export type SchemaChanges = { "contentTypes"?: (Record<string, unknown>)[]; "components"?: (Record<string, unknown>)[] };

export type SchemaDescription = { "contentTypes": Record<string, unknown>; "components": Record<string, unknown> };

export type SchemaRequest = { "data": SchemaChanges };

export type SchemaStatus = { "isUpdating": boolean };

export type SecondFactorState = { "active": boolean; "recoveryCodes": number };

export type SharedFields = { "nonLocalizedFields": Record<string, unknown>; "localizations": (Record<string, unknown>)[] };

export type SharedFieldsInput = { "model": string; "id": number | string; "locale": string };

export type SignedIn = { "token": string; "accessToken": string; "user": Administrator };

export type SignedOutDevice = { "deviceId"?: string };

export type StageInput = { "id"?: number | string; "name": string; "color"?: string; "roles"?: (number | string)[]; "requiredToPublish"?: boolean };

export type TestMailRecipient = { "to"?: string };

export type TransformAddress = { "url": string; "signed": boolean };

export type TransformChoices = { "sizes": (number)[]; "qualities": (number)[]; "formats": (string)[]; "largest": number; "signs": boolean };

export type UidAvailability = { "isAvailable": boolean; "suggestion": string | null };

export type UidSource = { "contentTypeUID": string; "field": string; "data": Record<string, unknown> };

export type UidValue = { "contentTypeUID": string; "field": string; "value": string };

export type UndoOptions = { "skipChanged"?: boolean };

export type UnpublishOptions = { "discardDraft"?: boolean };

export type UnusedFileCursor = { "after": number | null };

export type UnusedFilePage = { "data": (Record<string, unknown>)[]; "meta": UnusedFileCursor };

export type UploadForm = { "files": string | (string)[]; "fileInfo"?: string };

export type ViewChange = { "name"?: string; "shared"?: boolean; "state"?: Record<string, unknown> };

export type ViewConfiguration = { "settings"?: Record<string, unknown>; "metadatas"?: Record<string, unknown>; "layouts"?: Record<string, unknown> };

export type Webhook = { "id": string; "name": string; "url": string; "headers": Record<string, unknown>; "events": (string)[]; "isEnabled": boolean };

export type WebhookChange = { "name": string; "url": string; "headers": Record<string, unknown>; "events": (string)[]; "isEnabled"?: boolean };

export type WebhookSecret = { "secret": string | null };

export type WebhookTest = { "statusCode": number; "message": string; "headers"?: (ReceivedHeader)[]; "body"?: string };

export interface Operations {
  "DELETE /admin/api-tokens/{id}": { body: undefined; response: { "data": AdminApiToken | null } };
  "DELETE /admin/roles/{id}": { body: undefined; response: { "data": AdminRole | null } };
  "DELETE /admin/users/me/sessions": { body: undefined; response: { "data": Record<string, unknown> } };
  "DELETE /admin/users/me/sessions/{id}": { body: undefined; response: { "data": Record<string, unknown> } };
  "DELETE /admin/users/{id}": { body: undefined; response: { "data": Administrator } };
  "DELETE /admin/webhooks/{id}": { body: undefined; response: { "data": Webhook } };
  "DELETE /admin/x/model/archive/{id}": { body: undefined; response: { "data": ArchivedChange } };
  "DELETE /admin/x/outbox/{id}": { body: undefined; response: { "data": Record<string, unknown> } };
  "DELETE /admin/x/releases/{id}": { body: undefined; response: { "data": ReleaseDetail } };
  "DELETE /admin/x/releases/{id}/items/{item}": { body: undefined; response: { "data": ReleaseDetail } };
  "DELETE /admin/x/review/workflows/{id}": { body: undefined; response: { "data": ReviewWorkflow } };
  "DELETE /admin/x/users/{id}/second-factor": { body: undefined; response: { "data": Record<string, unknown> } };
  "DELETE /admin/x/views/{id}": { body: undefined; response: { "data": SavedView } };
  "DELETE /content-manager/collection-types/{uid}/{id}": { body: undefined; response: Record<string, unknown> };
  "DELETE /content-manager/single-types/{uid}": { body: undefined; response: Record<string, unknown> };
  "DELETE /content-type-builder/component-categories/{name}": { body: undefined; response: CategoryName };
  "DELETE /content-type-builder/components/{uid}": { body: undefined; response: { "data": ModelUid } };
  "DELETE /content-type-builder/content-types/{uid}": { body: undefined; response: { "data": ModelUid } };
  "DELETE /i18n/locales/{id}": { body: undefined; response: AdminLocale };
  "DELETE /upload/files/{id}": { body: undefined; response: MediaFile };
  "DELETE /users-permissions/roles/{id}": { body: undefined; response: Record<string, unknown> };
  "GET /admin/api-tokens": { body: undefined; response: { "data": (AdminApiToken)[] } };
  "GET /admin/api-tokens/{id}": { body: undefined; response: { "data": AdminApiToken } };
  "GET /admin/content-api/permissions": { body: undefined; response: { "data": Record<string, unknown> } };
  "GET /admin/content-api/routes": { body: undefined; response: { "data": Record<string, unknown> } };
  "GET /admin/homepage/key-statistics": { body: undefined; response: { "data": KeyStatistics } };
  "GET /admin/homepage/layout": { body: undefined; response: { "data": HomepageLayout | null } };
  "GET /admin/information": { body: undefined; response: { "data": ProjectFacts } };
  "GET /admin/init": { body: undefined; response: { "data": ProjectState } };
  "GET /admin/permissions": { body: undefined; response: { "data": PermissionCatalogue } };
  "GET /admin/project-settings": { body: undefined; response: ProjectLogos };
  "GET /admin/project-type": { body: undefined; response: { "data": ProjectEdition } };
  "GET /admin/registration-info": { body: undefined; response: { "data": InvitationRecipient } };
  "GET /admin/roles": { body: undefined; response: { "data": (AdminRole)[] } };
  "GET /admin/roles/{id}": { body: undefined; response: { "data": AdminRole } };
  "GET /admin/roles/{id}/permissions": { body: undefined; response: { "data": (AdminPermission)[] } };
  "GET /admin/telemetry-properties": { body: undefined; response: undefined };
  "GET /admin/users": { body: undefined; response: { "data": { "results": (Administrator)[]; "pagination": AdminPagination } } };
  "GET /admin/users/me": { body: undefined; response: { "data": Administrator } };
  "GET /admin/users/me/permissions": { body: undefined; response: { "data": (AdminPermission)[] } };
  "GET /admin/users/me/sessions": { body: undefined; response: { "data": (AdminSession)[] } };
  "GET /admin/users/{id}": { body: undefined; response: { "data": Administrator } };
  "GET /admin/webhooks": { body: undefined; response: { "data": (Webhook)[] } };
  "GET /admin/webhooks/{id}": { body: undefined; response: { "data": Webhook } };
  "GET /admin/x/audit": { body: undefined; response: { "data": (AuditRow)[] } };
  "GET /admin/x/audit/export": { body: undefined; response: undefined };
  "GET /admin/x/deliveries": { body: undefined; response: { "data": (Delivery)[] } };
  "GET /admin/x/difference/{uid}/{id}": { body: undefined; response: { "data": Difference } };
  "GET /admin/x/entry-releases/{uid}/{id}": { body: undefined; response: { "data": (ReleaseOfEntry)[] } };
  "GET /admin/x/entry/{uid}/{id}": { body: undefined; response: { "data": EntryDetail } };
  "GET /admin/x/explain": { body: undefined; response: { "data": Explanation } };
  "GET /admin/x/home": { body: undefined; response: { "data": Overview } };
  "GET /admin/x/jobs": { body: undefined; response: { "data": JobList } };
  "GET /admin/x/jobs/{id}": { body: undefined; response: { "data": Job } };
  "GET /admin/x/locale-coverage": { body: undefined; response: { "data": (LocaleCoverage)[] } };
  "GET /admin/x/locale-coverage/{uid}": { body: undefined; response: { "data": LocaleCoverage } };
  "GET /admin/x/media/transforms": { body: undefined; response: { "data": TransformChoices } };
  "GET /admin/x/media/unused": { body: undefined; response: UnusedFilePage };
  "GET /admin/x/media/usage": { body: undefined; response: MediaUsage };
  "GET /admin/x/media/{id}/transform": { body: undefined; response: { "data": TransformAddress } };
  "GET /admin/x/media/{id}/usage": { body: undefined; response: FileUsage };
  "GET /admin/x/model/archive": { body: undefined; response: { "data": (ArchivedChange)[] } };
  "GET /admin/x/model/state": { body: undefined; response: { "data": ModelState } };
  "GET /admin/x/openapi.json": { body: undefined; response: Record<string, unknown> };
  "GET /admin/x/outbox": { body: undefined; response: { "data": (OutboxChange)[] } };
  "GET /admin/x/outbox/{id}": { body: undefined; response: { "data": OutboxChange } };
  "GET /admin/x/previews": { body: undefined; response: { "data": Previews } };
  "GET /admin/x/references/{uid}/{id}": { body: undefined; response: { "data": (References)[] } };
  "GET /admin/x/releases": { body: undefined; response: { "data": (Release)[]; "meta": EntryListMeta } };
  "GET /admin/x/releases/{id}": { body: undefined; response: { "data": ReleaseDetail } };
  "GET /admin/x/review/assignees/{uid}": { body: undefined; response: { "data": (Assignee)[] } };
  "GET /admin/x/review/entries/{uid}/{id}": { body: undefined; response: { "data": EntryReview | null } };
  "GET /admin/x/review/workflows": { body: undefined; response: { "data": (ReviewWorkflow)[] } };
  "GET /admin/x/revisions/{uid}/{id}": { body: undefined; response: { "data": (Revision)[] } };
  "GET /admin/x/revisions/{uid}/{id}/{revision}": { body: undefined; response: { "data": RevisionDetail } };
  "GET /admin/x/schedule": { body: undefined; response: { "data": (ScheduledAction)[] } };
  "GET /admin/x/schedule/{uid}/{id}": { body: undefined; response: { "data": EntrySchedule } };
  "GET /admin/x/schedules": { body: undefined; response: { "data": (Schedule)[] } };
  "GET /admin/x/second-factor": { body: undefined; response: { "data": SecondFactorState } };
  "GET /admin/x/users/{id}/invitation": { body: undefined; response: { "data": InvitationState } };
  "GET /admin/x/views": { body: undefined; response: { "data": (SavedView)[] } };
  "GET /admin/x/webhooks/{id}/deliveries": { body: undefined; response: { "data": (Delivery)[] } };
  "GET /admin/x/webhooks/{id}/deliveries/{delivery}": { body: undefined; response: { "data": Delivery } };
  "GET /admin/x/webhooks/{id}/secret": { body: undefined; response: { "data": WebhookSecret } };
  "GET /content-manager/collection-types/{uid}": { body: undefined; response: EntryPage };
  "GET /content-manager/collection-types/{uid}/actions/countManyEntriesDraftRelations": { body: undefined; response: { "data": number } };
  "GET /content-manager/collection-types/{uid}/{id}": { body: undefined; response: EntryResponse };
  "GET /content-manager/collection-types/{uid}/{id}/actions/countDraftRelations": { body: undefined; response: { "data": Record<string, unknown> } };
  "GET /content-manager/components": { body: undefined; response: { "data": (Record<string, unknown>)[] } };
  "GET /content-manager/components/{uid}/configuration": { body: undefined; response: { "data": Record<string, unknown> } };
  "GET /content-manager/content-types": { body: undefined; response: { "data": (Record<string, unknown>)[] } };
  "GET /content-manager/content-types-settings": { body: undefined; response: { "data": (Record<string, unknown>)[] } };
  "GET /content-manager/content-types/{uid}/configuration": { body: undefined; response: { "data": Record<string, unknown> } };
  "GET /content-manager/homepage/count-documents": { body: undefined; response: { "data": DocumentCounts } };
  "GET /content-manager/homepage/recent-documents": { body: undefined; response: { "data": (RecentEntry)[] } };
  "GET /content-manager/init": { body: undefined; response: { "data": Record<string, unknown> } };
  "GET /content-manager/relations/{model}/{field}": { body: undefined; response: { "results": (RelatedEntry)[]; "pagination": AdminPagination } };
  "GET /content-manager/relations/{model}/{id}/{field}": { body: undefined; response: LinkedEntries };
  "GET /content-manager/single-types/{uid}": { body: undefined; response: EntryResponse };
  "GET /content-manager/single-types/{uid}/actions/countDraftRelations": { body: undefined; response: { "data": Record<string, unknown> } };
  "GET /content-type-builder/components": { body: undefined; response: { "data": (Record<string, unknown>)[] } };
  "GET /content-type-builder/components/{uid}": { body: undefined; response: { "data": Record<string, unknown> } };
  "GET /content-type-builder/content-types": { body: undefined; response: { "data": (Record<string, unknown>)[] } };
  "GET /content-type-builder/content-types/{uid}": { body: undefined; response: { "data": Record<string, unknown> } };
  "GET /content-type-builder/reserved-names": { body: undefined; response: ReservedNames };
  "GET /content-type-builder/schema": { body: undefined; response: { "data": SchemaDescription } };
  "GET /content-type-builder/update-schema-status": { body: undefined; response: { "data": SchemaStatus } };
  "GET /email/settings": { body: undefined; response: MailConfiguration };
  "GET /i18n/content-manager/get-fill-from-locale/{model}": { body: undefined; response: { "data": Record<string, unknown> } };
  "GET /i18n/iso-locales": { body: undefined; response: (KnownLocale)[] };
  "GET /i18n/locales": { body: undefined; response: (AdminLocale)[] };
  "GET /i18n/settings": { body: undefined; response: { "data": Record<string, unknown> | null } };
  "GET /upload/ai-metadata-jobs/pending-count": { body: undefined; response: Record<string, unknown> };
  "GET /upload/configuration": { body: undefined; response: { "data": Record<string, unknown> } };
  "GET /upload/files": { body: undefined; response: Record<string, unknown> };
  "GET /upload/files/{id}": { body: undefined; response: MediaFile };
  "GET /upload/folder-structure": { body: undefined; response: { "data": (Record<string, unknown>)[] } };
  "GET /upload/folders": { body: undefined; response: { "data": (MediaFolder)[] } };
  "GET /upload/folders/{id}": { body: undefined; response: { "data": MediaFolder } };
  "GET /upload/settings": { body: undefined; response: { "data": Record<string, unknown> } };
  "GET /users-permissions/advanced": { body: undefined; response: Record<string, unknown> };
  "GET /users-permissions/email-templates": { body: undefined; response: Record<string, unknown> };
  "GET /users-permissions/permissions": { body: undefined; response: Record<string, unknown> };
  "GET /users-permissions/policies": { body: undefined; response: Record<string, unknown> };
  "GET /users-permissions/providers": { body: undefined; response: Record<string, unknown> };
  "GET /users-permissions/roles": { body: undefined; response: Record<string, unknown> };
  "GET /users-permissions/roles/{id}": { body: undefined; response: Record<string, unknown> };
  "GET /users-permissions/routes": { body: undefined; response: Record<string, unknown> };
  "POST /admin/access-token": { body: undefined; response: { "data": AccessToken } };
  "POST /admin/api-tokens": { body: NewAdminApiToken; response: { "data": AdminApiToken } };
  "POST /admin/api-tokens/{id}/regenerate": { body: undefined; response: { "data": ApiTokenKey } };
  "POST /admin/forgot-password": { body: ForgottenPassword; response: undefined };
  "POST /admin/login": { body: Credentials; response: { "data": SignedIn } };
  "POST /admin/logout": { body: SignedOutDevice; response: { "data": Record<string, unknown> } };
  "POST /admin/permissions/check": { body: PermissionCheck; response: { "data": (boolean)[] } };
  "POST /admin/register": { body: Registration; response: { "data": SignedIn } };
  "POST /admin/register-admin": { body: FirstAdministrator; response: { "data": SignedIn } };
  "POST /admin/reset-password": { body: PasswordReset; response: { "data": SignedIn } };
  "POST /admin/roles": { body: NewAdminRole; response: { "data": AdminRole } };
  "POST /admin/roles/batch-delete": { body: RowIds; response: { "data": (AdminRole)[] } };
  "POST /admin/users": { body: Invitation; response: { "data": InvitedAdministrator } };
  "POST /admin/users/batch-delete": { body: RowIds; response: { "data": (Administrator)[] } };
  "POST /admin/webhooks": { body: NewWebhook; response: { "data": Webhook } };
  "POST /admin/webhooks/batch-delete": { body: DeletedWebhooks; response: { "data": (number | string)[] } };
  "POST /admin/webhooks/{id}/trigger": { body: undefined; response: { "data": WebhookTest } };
  "POST /admin/x/bulk-edit/{uid}": { body: BulkEditInput; response: { "data": BulkEditResult } };
  "POST /admin/x/end-user-roles/{id}/request": { body: InnerRequest; response: { "data": InnerResponse } };
  "POST /admin/x/end-users/{id}/request": { body: InnerRequest; response: { "data": InnerResponse } };
  "POST /admin/x/export/{uid}": { body: ExportOptions; response: { "data": (ManagedEntry)[]; "meta": EntryListMeta } };
  "POST /admin/x/jobs/{id}/cancel": { body: undefined; response: { "data": Job } };
  "POST /admin/x/jobs/{id}/retry": { body: undefined; response: { "data": Job } };
  "POST /admin/x/mail-test": { body: MailTest; response: { "data": MailTestResult } };
  "POST /admin/x/media/import": { body: ImportedFile; response: MediaFile };
  "POST /admin/x/media/{id}/crop": { body: CropInput; response: MediaFile };
  "POST /admin/x/model/archive/{id}/restore": { body: undefined; response: { "data": RowCount } };
  "POST /admin/x/model/plan": { body: SchemaRequest; response: { "data": ModelPlan } };
  "POST /admin/x/outbox/{id}/replay": { body: undefined; response: { "data": Record<string, unknown> } };
  "POST /admin/x/publish-check/{uid}/{id}": { body: undefined; response: { "data": PublishCheck } };
  "POST /admin/x/releases": { body: ReleaseName; response: { "data": ReleaseDetail } };
  "POST /admin/x/releases/{id}/check": { body: undefined; response: { "data": ReleaseCheck } };
  "POST /admin/x/releases/{id}/items": { body: NewReleaseItems; response: { "data": ReleaseDetail } };
  "POST /admin/x/releases/{id}/publish": { body: undefined; response: { "data": ReleaseDetail } };
  "POST /admin/x/releases/{id}/undo": { body: UndoOptions; response: { "data": ReleaseUndoResult } };
  "POST /admin/x/review/workflows": { body: ReviewWorkflowInput; response: { "data": ReviewWorkflow } };
  "POST /admin/x/revisions/{uid}/{id}/{revision}/restore": { body: undefined; response: RestoredEntry };
  "POST /admin/x/samples/{uid}": { body: SampleOptions; response: { "data": Samples } };
  "POST /admin/x/schedules/{name}/run": { body: undefined; response: { "data": Job } };
  "POST /admin/x/second-factor": { body: CurrentPassword; response: { "data": NewSecondFactor } };
  "POST /admin/x/second-factor/confirm": { body: FactorCode; response: { "data": RecoveryCodes } };
  "POST /admin/x/second-factor/recovery-codes": { body: FactorCode; response: { "data": RecoveryCodes } };
  "POST /admin/x/second-factor/remove": { body: FactorRemoval; response: { "data": Record<string, unknown> } };
  "POST /admin/x/users/{id}/invitation": { body: undefined; response: { "data": InvitedAdministrator } };
  "POST /admin/x/views": { body: NewView; response: { "data": SavedView } };
  "POST /admin/x/webhooks/{id}/deliveries/{delivery}/redeliver": { body: undefined; response: { "data": Record<string, unknown> } };
  "POST /content-manager/collection-types/{uid}": { body: Record<string, unknown>; response: EntryResponse | ManagedEntry };
  "POST /content-manager/collection-types/{uid}/actions/bulkDelete": { body: DocumentIds; response: RowCount };
  "POST /content-manager/collection-types/{uid}/actions/bulkFindForValidation": { body: DocumentIds; response: FoundEntries };
  "POST /content-manager/collection-types/{uid}/actions/bulkPublish": { body: DocumentIds; response: RowCount };
  "POST /content-manager/collection-types/{uid}/actions/bulkUnpublish": { body: DocumentIds; response: RowCount };
  "POST /content-manager/collection-types/{uid}/actions/publish": { body: Record<string, unknown>; response: EntryResponse };
  "POST /content-manager/collection-types/{uid}/auto-clone/{id}": { body: Record<string, unknown>; response: EntryResponse };
  "POST /content-manager/collection-types/{uid}/clone/{id}": { body: Record<string, unknown>; response: EntryResponse };
  "POST /content-manager/collection-types/{uid}/{id}/actions/discard": { body: Record<string, unknown>; response: EntryResponse };
  "POST /content-manager/collection-types/{uid}/{id}/actions/publish": { body: Record<string, unknown>; response: EntryResponse };
  "POST /content-manager/collection-types/{uid}/{id}/actions/unpublish": { body: UnpublishOptions; response: EntryResponse };
  "POST /content-manager/single-types/{uid}/actions/discard": { body: Record<string, unknown>; response: EntryResponse };
  "POST /content-manager/single-types/{uid}/actions/publish": { body: Record<string, unknown>; response: EntryResponse };
  "POST /content-manager/single-types/{uid}/actions/unpublish": { body: UnpublishOptions; response: EntryResponse };
  "POST /content-manager/uid/check-availability": { body: UidValue; response: UidAvailability };
  "POST /content-manager/uid/generate": { body: UidSource; response: { "data": string } };
  "POST /content-type-builder/components": { body: ComponentRequest; response: { "data": ModelUid } };
  "POST /content-type-builder/content-types": { body: ContentTypeRequest; response: { "data": ModelUid } };
  "POST /content-type-builder/update-schema": { body: SchemaRequest; response: Record<string, unknown> };
  "POST /email/test": { body: TestMailRecipient; response: Record<string, unknown> };
  "POST /i18n/content-manager/actions/get-non-localized-fields": { body: SharedFieldsInput; response: SharedFields };
  "POST /i18n/locales": { body: NewLocale; response: AdminLocale };
  "POST /upload": { body: undefined; response: unknown };
  "POST /upload/actions/bulk-delete": { body: FileDeletion; response: { "data": Record<string, unknown> } };
  "POST /upload/actions/bulk-move": { body: FileMove; response: { "data": Record<string, unknown> } };
  "POST /upload/actions/bulk-update": { body: FileUpdates; response: (Record<string, unknown>)[] };
  "POST /upload/actions/generate-ai-metadata": { body: undefined; response: Record<string, unknown> };
  "POST /upload/actions/upload-from-urls": { body: ImportedFiles; response: undefined };
  "POST /upload/ai-metadata-jobs": { body: undefined; response: Record<string, unknown> };
  "POST /upload/files": { body: undefined; response: MediaFile };
  "POST /upload/files/{id}/replace": { body: undefined; response: MediaFile };
  "POST /upload/folders": { body: NewFolder; response: { "data": MediaFolder } };
  "POST /users-permissions/roles": { body: RoleInput; response: Record<string, unknown> };
  "PUT /admin/api-tokens/{id}": { body: ApiTokenChange; response: { "data": AdminApiToken } };
  "PUT /admin/homepage/layout": { body: HomepageLayoutInput; response: { "data": HomepageLayout } };
  "PUT /admin/roles/{id}": { body: AdminRoleChange; response: { "data": AdminRole } };
  "PUT /admin/roles/{id}/permissions": { body: RolePermissions; response: { "data": (AdminPermission)[] } };
  "PUT /admin/users/me": { body: ProfileChange; response: { "data": Administrator } };
  "PUT /admin/users/{id}": { body: AdministratorChange; response: { "data": Administrator } };
  "PUT /admin/webhooks/{id}": { body: WebhookChange; response: { "data": Webhook } };
  "PUT /admin/x/previews": { body: PreviewUrls; response: { "data": Previews } };
  "PUT /admin/x/releases/{id}": { body: ReleaseName; response: { "data": ReleaseDetail } };
  "PUT /admin/x/releases/{id}/items/{item}": { body: ItemChange; response: { "data": ReleaseDetail } };
  "PUT /admin/x/releases/{id}/schedule": { body: ReleaseTime; response: { "data": ReleaseSchedule } };
  "PUT /admin/x/review/entries/{uid}/{id}": { body: EntryReviewChange; response: { "data": EntryReview } };
  "PUT /admin/x/review/workflows/{id}": { body: ReviewWorkflowInput; response: { "data": ReviewWorkflow } };
  "PUT /admin/x/schedule/{uid}/{id}": { body: EntryTimes; response: { "data": EntrySchedule } };
  "PUT /admin/x/views/{id}": { body: ViewChange; response: { "data": SavedView } };
  "PUT /content-manager/collection-types/{uid}/{id}": { body: Record<string, unknown>; response: EntryResponse };
  "PUT /content-manager/components/{uid}/configuration": { body: ViewConfiguration; response: { "data": Record<string, unknown> } };
  "PUT /content-manager/content-types/{uid}/configuration": { body: ViewConfiguration; response: { "data": Record<string, unknown> } };
  "PUT /content-manager/single-types/{uid}": { body: Record<string, unknown>; response: EntryResponse };
  "PUT /content-type-builder/component-categories/{name}": { body: CategoryName; response: CategoryName };
  "PUT /content-type-builder/components/{uid}": { body: ComponentRequest; response: { "data": ModelUid } };
  "PUT /content-type-builder/content-types/{uid}": { body: ContentTypeRequest; response: { "data": ModelUid } };
  "PUT /i18n/locales/{id}": { body: LocaleChange; response: AdminLocale };
  "PUT /i18n/settings": { body: LocaleSettings; response: { "data": Record<string, unknown> | null } };
  "PUT /upload/configuration": { body: LibraryView; response: { "data": Record<string, unknown> } };
  "PUT /upload/files/{id}": { body: FileDescription; response: MediaFile };
  "PUT /upload/folders/{id}": { body: FolderChange; response: { "data": MediaFolder } };
  "PUT /upload/settings": { body: LibraryOptions; response: { "data": Record<string, unknown> } };
  "PUT /users-permissions/advanced": { body: Record<string, unknown>; response: Record<string, unknown> };
  "PUT /users-permissions/email-templates": { body: MailTemplates; response: Record<string, unknown> };
  "PUT /users-permissions/providers": { body: Providers; response: Record<string, unknown> };
  "PUT /users-permissions/roles/{id}": { body: RoleInput; response: Record<string, unknown> };
}
