require mvn javac jar keytool
quick="export JAVA_TOOL_OPTIONS='-XX:TieredStopAtLevel=1 -XX:+UseSerialGC'" # for machines that live for a second
eval "$quick"

# deploy GROUP NAME VERSION: what is in $area/source/NAME.
deploy() {
  place=$www/repo.maven.apache.org/maven2/$(echo "$1" | tr . /)/$2/$3
  mkdir -p "$place"
  (cd "$area/source/$2" && jar --create --file "$place/$2-$3.jar" .)
  printf '<project><modelVersion>4.0.0</modelVersion><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version></project>\n' \
    "$@" >"$place/$2-$3.pom"
}

# A library, and the parent of the project.
publish() {
  mkdir -p "$area/source/library" "$area/source/plexus-utils" "$area/source/parent"
  echo 'public class Library { public static int add(int x) { return x + 1; } }' >"$area/source/Library.java"
  javac --release 11 -d "$area/source/library" "$area/source/Library.java"
  deploy org.example library 1.0.0
  deploy org.codehaus.plexus plexus-utils 1.1 # Maven fetches it with every extension
  deploy org.example parent 1.0.0
  sed -i 's|</project>|<packaging>pom</packaging></project>|' "$www/repo.maven.apache.org/maven2/org/example/parent/1.0.0/parent-1.0.0.pom"
}

# As an extension the library is fetched without any plugin of Maven's.
prepare() {
  mkdir "$project/.mvn"
  echo '<extensions><extension><groupId>org.example</groupId><artifactId>library</artifactId><version>1.0.0</version></extension></extensions>' \
    >"$project/.mvn/extensions.xml"
  cat >"$project/pom.xml" <<'XML'
<project>
  <modelVersion>4.0.0</modelVersion>
  <parent><groupId>org.example</groupId><artifactId>parent</artifactId><version>1.0.0</version><relativePath/></parent>
  <artifactId>project</artifactId><packaging>pom</packaging>
</project>
XML
  echo 'class Project { static int twice(int x) { return Library.add(Library.add(x)); } }' >"$project/Project.java"
  echo 'class ProjectTest { public static void main(String[] words) { assert Project.twice(40) == 42; System.out.println("tested"); } }' \
    >"$project/ProjectTest.java"
}

test='library=$(dirname "$GRADLE_USER_HOME")/maven/repository/org/example/library/1.0.0/library-1.0.0.jar
javac -cp "$library" -d target Project.java ProjectTest.java
java -ea -cp "$library:target" ProjectTest'
fetch="$quick
keytool -importcert -noprompt -file $area/ca.pem -keystore trust -storepass trusted >/dev/null 2>&1
JAVA_TOOL_OPTIONS=\"\$JAVA_TOOL_OPTIONS -Djavax.net.ssl.trustStore=trust -Djavax.net.ssl.trustStorePassword=trusted\" mvn -B -q validate
$test"
again="rm -rf target
$quick
mvn -B -q -o validate
$test"
