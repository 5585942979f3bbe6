"""The settings of a project: one frozen record, read once, passed to whoever needs it.

``model.py`` says what can be set, ``kinds.py`` what values look like, ``load.py`` reads them, and
``dotenv.py`` knows the form of ``.env`` files. No other module of Quire reads the environment.
"""

from quire.settings.kinds import UnfitValueError
from quire.settings.load import (
    OVERRIDES_VARIABLE,
    PROJECT_VARIABLE,
    SETTINGS_FILE,
    SettingsError,
    SettingsFault,
    load_settings,
    load_settings_from_environment,
    variables_for_processes,
)
from quire.settings.model import (
    AdminRateLimit,
    AdminSettings,
    ApiSettings,
    CacheSettings,
    CorsSettings,
    DatabaseSettings,
    Environment,
    FeatureSettings,
    LimitSettings,
    LocaleSettings,
    LogSettings,
    MigrationSettings,
    PublicSettings,
    SecretSettings,
    SecuritySettings,
    ServerSettings,
    Settings,
    UploadSettings,
    UserRateLimit,
    UserSettings,
    known_settings,
)

__all__ = [
    "OVERRIDES_VARIABLE",
    "PROJECT_VARIABLE",
    "SETTINGS_FILE",
    "AdminRateLimit",
    "AdminSettings",
    "ApiSettings",
    "CacheSettings",
    "CorsSettings",
    "DatabaseSettings",
    "Environment",
    "FeatureSettings",
    "LimitSettings",
    "LocaleSettings",
    "LogSettings",
    "MigrationSettings",
    "PublicSettings",
    "SecretSettings",
    "SecuritySettings",
    "ServerSettings",
    "Settings",
    "SettingsError",
    "SettingsFault",
    "UnfitValueError",
    "UploadSettings",
    "UserRateLimit",
    "UserSettings",
    "known_settings",
    "load_settings",
    "load_settings_from_environment",
    "variables_for_processes",
]
