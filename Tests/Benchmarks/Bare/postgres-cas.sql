UPDATE bare SET revision = :revision + 1, value = :value WHERE name = :client_id AND revision = :revision RETURNING revision AS revision \gset
