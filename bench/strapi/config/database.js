const path = require('path');

const sqlite = (env) => ({
  client: 'sqlite',
  connection: { filename: path.join(__dirname, '..', env('DATABASE_FILENAME', '.tmp/data.db')) },
  useNullAsDefault: true,
});

const postgres = (env) => ({
  client: 'postgres',
  connection: { connectionString: env('DATABASE_URL') },
  pool: { min: 2, max: 10 },
});

module.exports = ({ env }) => ({
  connection: env('DATABASE_CLIENT', 'sqlite') === 'postgres' ? postgres(env) : sqlite(env),
});
